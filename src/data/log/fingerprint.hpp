// A fingerprint is a hash of a table. It covers the column names, their roles, and the raw values
// in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/ranks.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

// A missing text (data() == nullptr) and an empty text have different hashes.
std::uint64_t hash_text(std::string_view text);

// Adds up one hash per value. The hash of a value also depends on its row number. The sum does not
// depend on how rows are divided into chunks, so the fingerprint does not depend on the file format
// or on the number of threads. The fingerprint detects accidental changes; it does not protect
// against deliberate ones.
class Fingerprint {
 public:
  explicit Fingerprint(std::size_t num_columns) : columns_(num_columns, 0) {}

  void add_rows(std::size_t count) { num_rows_ += count; }
  void add_numbers(std::size_t column, std::size_t first_row, std::span<const double> values);
  void add_text(std::size_t column, std::size_t row, std::uint64_t text_hash);

  // Adds the hashes of another part of the same table.
  void add(const Fingerprint& other);

  // Returns everything that was added, as numbers, to send it to another process. from_state() is the
  // inverse.
  std::vector<std::uint64_t> state() const;
  static Fingerprint from_state(const std::vector<std::uint64_t>& state);

  // Adds the hashes of all ranks, which have different rows of the same table.
  void add_ranks(Ranks& ranks);

  // Returns the fingerprint as text. `names` has the role and the name of each column.
  std::string hex(const std::vector<std::string>& names) const;

 private:
  std::vector<std::uint64_t> columns_;
  std::uint64_t num_rows_ = 0;
};

// Returns true if `known` is the fingerprint of the table. `known` may be a fingerprint that
// fingerprint_table computes, or one that a model of file version 1 stored.
bool has_fingerprint(TableReader& reader, const Roles& roles, const FeasibleSet* feasible,
                     std::string_view known);

// Returns the fingerprint of a part of a log: of those rows that `rows` lists. The whole log has
// `num_rows` rows and the fingerprint `whole`. The result is `whole` if `rows` lists all rows in
// their order.
std::string fingerprint_of_rows(const std::string& whole, std::size_t num_rows,
                                std::span<const std::size_t> rows);

}  // namespace otss::internal
