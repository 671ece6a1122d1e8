// A log as learners see it: every column encoded, centred and scaled, in the order the kernels
// read.
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
class TileMatrix;   // the library's own layout of encoded columns

// What an outcome may be; the output family asks for it.
enum class OutcomeKind {
  kBinary,  // 0 or 1
  kReal,    // any finite number
  kCount,   // 0, 1, 2, …
};

class LoggedData {
 public:
  struct Parts {
    std::shared_ptr<const TileMatrix> features;  // rows of contexts, then factors
    std::vector<float> outcomes;
    std::vector<float> weights;
    std::vector<std::uint32_t> groups;
    std::size_t num_groups = 0;
    std::vector<double> times;
    Encoder encoder;
    Roles roles;
    std::string fingerprint;
  };
  explicit LoggedData(Parts parts);  // Parts come from read_log and make_log, which check them

  std::size_t num_rows() const { return parts_.outcomes.size(); }
  int num_contexts() const { return num_contexts_; }  // p: encoded context columns
  int num_factors() const { return static_cast<int>(parts_.encoder.factors.size()); }

  const TileMatrix& features() const { return *parts_.features; }  // for the library itself
  std::span<const float> outcomes() const { return parts_.outcomes; }
  std::span<const float> weights() const { return parts_.weights; }        // empty: all one
  std::span<const std::uint32_t> groups() const { return parts_.groups; }  // dense ids; empty: none
  std::size_t num_groups() const { return parts_.num_groups; }
  std::span<const double> times() const { return parts_.times; }  // empty: none

  const Encoder& encoder() const { return parts_.encoder; }
  const Roles& roles() const { return parts_.roles; }  // contexts by name, never "all"

  // Hexadecimal, over column names, roles and raw values in row order: the same rows give the same
  // fingerprint from any file format. See fingerprint_table.
  const std::string& fingerprint() const { return parts_.fingerprint; }

 private:
  Parts parts_;
  int num_contexts_ = 0;
};

// Reads a log in one pass. Degenerate data is an Error(kInput) naming the row and the column.
LoggedData read_log(const TableSource& source, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_log(const std::string& path, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);

// The same with factors counted from their mean over each row's feasible decisions
// (ContextDecisions::mean_factors); `feasible` has the factors of the roles, in their order.
LoggedData read_centered_log(const TableSource& source, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_centered_log(const std::string& path, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);

// The fingerprint read_log would give this table, without its checks. `roles` as
// LoggedData::roles() returns them; `feasible` as read_centered_log took it, null for other
// logs.
std::string fingerprint_table(TableReader& reader, const Roles& roles,
                              const FeasibleSet* feasible = nullptr);

// Some rows of a log, in the order given, encoded as they were: a part to fit, or one to test on.
// Its fingerprint is its own, unless it is the whole log in its order.
LoggedData rows_of(const LoggedData& log, std::span<const std::size_t> rows);

// A column already in memory: fill exactly one of the spans.
struct NamedColumn {
  std::string name;
  std::span<const double> numbers = {};          // NaN where missing
  std::span<const std::string_view> texts = {};  // data() == nullptr where missing
};

// The optional parts of a log in memory; a column without values is absent.
struct LogExtras {
  std::string outcome_name = "y";
  NamedColumn weight{.name = "weight"};
  NamedColumn group{.name = "group"};
  NamedColumn time{.name = "time"};
  OutcomeKind outcome = OutcomeKind::kBinary;
  int threads = 0;  // that encode it; 0 takes all cores. The log does not depend on it
};

// The same log from columns in memory, through the same code.
LoggedData make_log(const std::vector<NamedColumn>& contexts,
                    const std::vector<NamedColumn>& factors, std::span<const double> outcome,
                    const LogExtras& extras = {});

}  // namespace otss
