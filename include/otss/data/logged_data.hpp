// A LoggedData is a log in the form that the fitting methods use. Every column is encoded, centred
// and scaled, and stored in the memory layout that the kernels read.
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

namespace otss::internal {
class TileMatrix;  // encoded columns in memory
}

namespace otss {

class FeasibleSet;  // otss/data/feasible_set.hpp

// The kind says which outcomes are allowed. OutputFamily::outcome_kind returns the kind that an
// output family needs.
enum class OutcomeKind {
  kBinary,  // every outcome is 0 or 1
  kReal,    // every outcome is a finite number
  kCount,   // every outcome is a count: 0, 1, 2, …
};

class LoggedData {
 public:
  // This struct is internal to the library. Each vector has one entry per row, except for
  // group_hashes. For each vector, LoggedData has a function with the same name. The comment of the
  // function says what an empty vector means.
  struct Parts {
    std::shared_ptr<const internal::TileMatrix>
        features;  // the context columns, then the factor columns
    std::vector<float> outcomes;
    std::vector<float> weights;
    std::vector<std::uint32_t> groups;  // the group of each row, from 0 to num_groups - 1
    std::size_t num_groups = 0;
    std::vector<std::uint64_t> group_hashes;  // one hash per group, not per row
    std::vector<std::uint32_t> units;         // the unit of each row, an index of unit_names
    std::vector<std::string> unit_names;
    std::vector<double> times;
    Encoder encoder;
    Roles roles;
    std::string fingerprint;
    std::vector<std::string> notes;
  };
  explicit LoggedData(Parts parts);  // does not check `parts`; read_log and make_log do

  std::size_t num_rows() const { return parts_.outcomes.size(); }
  int num_contexts() const { return num_contexts_; }  // p, the number of encoded context columns
  int num_factors() const { return static_cast<int>(parts_.encoder.factors.size()); }

  const internal::TileMatrix& features() const {
    return *parts_.features;
  }  // internal to the library
  std::span<const float> outcomes() const { return parts_.outcomes; }
  // Returns the weight of each row. Empty means that every row has weight 1.
  std::span<const float> weights() const { return parts_.weights; }
  // Returns the group of each row, from 0 to num_groups() - 1. Empty means that the log has no
  // groups.
  std::span<const std::uint32_t> groups() const { return parts_.groups; }
  std::size_t num_groups() const { return parts_.num_groups; }
  // Returns, for each group, a hash of the group's value in the table. Unlike the group's number,
  // the hash does not depend on the order of the rows. Empty means that the log has no groups.
  std::span<const std::uint64_t> group_hashes() const { return parts_.group_hashes; }
  // Returns the same log in which the units are the groups. The copy refers to the same features.
  LoggedData grouped_by_unit() const;
  // Returns the unit of each row, from 0 to num_units() - 1, in the order in which units first
  // appear. Empty means that the log has no units.
  std::span<const std::uint32_t> units() const { return parts_.units; }
  std::size_t num_units() const { return parts_.unit_names.size(); }
  // Returns the name of each unit, as the column of units has it.
  const std::vector<std::string>& unit_names() const { return parts_.unit_names; }
  // Returns the time of each row, in the column's own unit. Empty means that the log has no times.
  std::span<const double> times() const { return parts_.times; }

  const Encoder& encoder() const { return parts_.encoder; }
  // Returns the roles of the columns. In the result, Roles::contexts lists column names, even if
  // the log was read with the word "all".
  const Roles& roles() const { return parts_.roles; }

  // Returns a hexadecimal hash of the column names, the roles and the raw values in row order. A
  // log has the same fingerprint in every file format. fingerprint_table computes the same hash
  // from a table.
  const std::string& fingerprint() const { return parts_.fingerprint; }

  // Returns sentences that tell the user how values of the table were understood: numbers that are
  // not plain numbers, dates that are not ISO dates, text factors, the outcome, and levels that
  // look alike.
  const std::vector<std::string>& notes() const { return parts_.notes; }

 private:
  Parts parts_;
  int num_contexts_ = 0;
};

// A LogPlan says how a log is read. Its roles name the columns that a model uses. In the roles, a
// date is replaced by its parts, and a text factor by 0/1 factors for its levels
// (otss/data/reading_rules.hpp).
struct LogPlan {
  Roles roles;
  std::vector<std::string> notes;  // see LoggedData::notes
};

// Decides how a log is read. The function adds the levels of text factors and the values of the
// outcome to the rules of `reader`, and replaces dates and text factors in the roles. read_log
// calls plan_log itself. Call plan_log before read_log if another table, such as a library, must be
// read by the same rules. If the meaning of a column is not clear, plan_log throws an Error that
// names the option to give.
LogPlan plan_log(TableReader& reader, const Roles& roles);

// Reads a log in one pass. Values that cannot be used (a missing factor, an outcome that is not
// allowed, a constant factor, …) are an Error(kInput) that names the row and the column. Roles that
// do not match the table are an Error that names the option.
LoggedData read_log(const TableSource& source, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_log(const std::string& path, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_log(TableReader reader, const Roles& roles,
                    OutcomeKind outcome = OutcomeKind::kBinary);

// Reads a log as read_log does, and centres its factors. Centring subtracts from the factors of a
// row the mean factors of the row's feasible decisions (ContextDecisions::mean_factors). `feasible`
// must have the factors that the roles name, in the same order. Roles::centered_by names the column
// with the context id.
LoggedData read_centered_log(const TableSource& source, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_centered_log(const std::string& path, const Roles& roles,
                             const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);
LoggedData read_centered_log(TableReader reader, const Roles& roles, const FeasibleSet& feasible,
                             OutcomeKind outcome = OutcomeKind::kBinary);

// Returns the fingerprint that read_log would compute for this table, without checking the table's
// values. `roles` must be the LoggedData::roles() of the log. `feasible` must be the set that was
// given to read_centered_log, or null for a log without centred factors.
std::string fingerprint_table(TableReader& reader, const Roles& roles,
                              const FeasibleSet* feasible = nullptr);

// Returns the given rows of a log, in the given order. The rows are encoded as in the whole log.
// This function can divide a log into rows to fit a model on and rows to test the model on. The
// result has another fingerprint than the log, unless `rows` lists all rows in their order.
LoggedData rows_of(const LoggedData& log, std::span<const std::size_t> rows);

// The optional columns of a log in memory. If the column of weights, groups, units or times is
// empty, the log has no such column.
struct LogExtras {
  std::string outcome_name = "y";
  NamedColumn weight{.name = "weight"};
  NamedColumn group{.name = "group"};
  NamedColumn unit{.name = "unit"};  // must be text
  NamedColumn time{.name = "time"};
  OutcomeKind outcome = OutcomeKind::kBinary;
  // Terms of the factors, such as "price^2" (otss/data/term.hpp). Terms become factors too, after
  // the factors that are columns. term_shrinkage has the same meaning as Roles::term_shrinkage.
  std::vector<std::string> terms = {};
  double term_shrinkage = 1;
  // The number of threads that encode; 0 means all cores. The result does not depend on the number.
  int threads = 0;
};

// Makes a log from columns in memory. For a file with the same columns, read_log returns the same
// log or throws the same errors.
LoggedData make_log(const std::vector<NamedColumn>& contexts,
                    const std::vector<NamedColumn>& factors, std::span<const double> outcome,
                    const LogExtras& extras = {});

}  // namespace otss
