// A log as learners use it: every column encoded, centred and scaled, in the memory layout that the
// kernels read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

class FeasibleSet;  // otss/data/feasible_set.hpp
class TileMatrix;   // internal to the library: encoded columns in memory

// Which outcomes are allowed; OutputFamily::outcome_kind gives it.
enum class OutcomeKind {
  kBinary,  // 0 or 1
  kReal,    // any finite number
  kCount,   // 0, 1, 2, …
};

class LoggedData {
 public:
  // Internal to the library. The vectors have one entry per row, or are empty as said below.
  struct Parts {
    std::shared_ptr<const TileMatrix> features;  // columns: contexts, then factors
    std::vector<float> outcomes;
    std::vector<float> weights;
    std::vector<std::uint32_t> groups;  // 0 to num_groups - 1
    std::size_t num_groups = 0;
    std::vector<double> times;
    Encoder encoder;
    Roles roles;
    std::string fingerprint;
  };
  explicit LoggedData(Parts parts);  // checks nothing: use read_log or make_log, which do

  std::size_t num_rows() const { return parts_.outcomes.size(); }
  int num_contexts() const { return num_contexts_; }  // p: encoded context columns
  int num_factors() const { return static_cast<int>(parts_.encoder.factors.size()); }

  const TileMatrix& features() const { return *parts_.features; }  // internal to the library
  std::span<const float> outcomes() const { return parts_.outcomes; }
  // Row weights; empty: every row has weight 1.
  std::span<const float> weights() const { return parts_.weights; }
  // Group of each row, from 0 to num_groups() - 1; empty: the log has no groups.
  std::span<const std::uint32_t> groups() const { return parts_.groups; }
  std::size_t num_groups() const { return parts_.num_groups; }
  // Time of each row, in the column's own unit; empty: the log has no times.
  std::span<const double> times() const { return parts_.times; }

  const Encoder& encoder() const { return parts_.encoder; }
  const Roles& roles() const { return parts_.roles; }  // contexts by name, never "all"

  // A hexadecimal hash of column names, roles and raw values in row order: the same rows give the
  // same fingerprint from any file format. See fingerprint_table.
  const std::string& fingerprint() const { return parts_.fingerprint; }

 private:
  Parts parts_;
  int num_contexts_ = 0;
};

// Reads a log in one pass. Values that cannot be used (a missing factor, an outcome that is not
// allowed, a constant factor, …) are an Error(kInput) that names the row and the column; roles that
// do not fit the table are an Error that names the option.
LoggedData read_log(const TableSource& source, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_log(const std::string& path, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);

// The same with centred factors: each row's factors minus their mean over the row's feasible
// decisions (ContextDecisions::mean_factors). `feasible` must have the factors that the roles name,
// in the same order. Roles::centered_by names the column with the context id.
LoggedData read_centered_log(const TableSource& source, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_centered_log(const std::string& path, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);

// The fingerprint that read_log would compute for this table, without checking its values. `roles`
// are those of LoggedData::roles(); `feasible` is the set that read_centered_log was given, or null
// for a log without centred factors.
std::string fingerprint_table(TableReader& reader, const Roles& roles,
                              const FeasibleSet* feasible = nullptr);

// Some rows of a log, in the order given, with the encoding of the whole log: for example a part to
// fit and a part to test on. The result has a fingerprint of its own, unless it is the whole log in
// the same order.
LoggedData rows_of(const LoggedData& log, std::span<const std::size_t> rows);

// A column already in memory: fill exactly one of the spans.
struct NamedColumn {
  std::string name;
  std::span<const double> numbers = {};          // NaN where missing
  std::span<const std::string_view> texts = {};  // data() == nullptr where missing
};

// The optional parts of a log in memory. A weight, group or time column without values is absent.
struct LogExtras {
  std::string outcome_name = "y";
  NamedColumn weight{.name = "weight"};
  NamedColumn group{.name = "group"};
  NamedColumn time{.name = "time"};
  OutcomeKind outcome = OutcomeKind::kBinary;
  int threads = 0;  // number of threads that encode; 0: all cores. It does not change the result
};

// Makes a log from columns in memory. It is the log that read_log makes of the same columns in a
// file, with the same errors.
LoggedData make_log(const std::vector<NamedColumn>& contexts,
                    const std::vector<NamedColumn>& factors, std::span<const double> outcome,
                    const LogExtras& extras = {});

}  // namespace otss
