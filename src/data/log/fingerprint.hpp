// A number that tells one table from another: over names, roles and raw values in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

std::uint64_t hash_text(
    std::string_view text);  // a missing text (data() == nullptr) differs from an empty one

// Each value is mixed with its row number and the results are added up. Sums do not care how rows
// are cut into chunks, so file formats and threads cannot matter. Made to notice change, not to
// resist an attacker.
class Fingerprint {
 public:
  explicit Fingerprint(std::size_t num_columns) : columns_(num_columns, 0) {}

  void add_rows(std::size_t count) { num_rows_ += count; }
  void add_numbers(std::size_t column, std::size_t first_row, std::span<const double> values);
  void add_text(std::size_t column, std::size_t row, std::uint64_t text_hash);

  // `names` say for each column what it is: role and name.
  std::string hex(const std::vector<std::string>& names) const;

 private:
  std::vector<std::uint64_t> columns_;
  std::uint64_t num_rows_ = 0;
};

// Whether a table has the fingerprint a model knows its log by: the one of fingerprint_table, or the
// one that models of file version 1 hold.
bool has_fingerprint(TableReader& reader, const Roles& roles, const FeasibleSet* feasible,
                     std::string_view known);

// Of some rows of a log that has `num_rows` rows and the fingerprint `whole`; all of them in their
// order are the log itself.
std::string fingerprint_of_rows(const std::string& whole, std::size_t num_rows,
                                std::span<const std::size_t> rows);

}  // namespace otss
