// UnitStates hold what a model has learned about units, such as customers, from a history: a log of
// their earlier rows. A state can be saved, and updated with later rows, so that earlier rows need
// not be read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/units.hpp"

namespace otss {

// Says how update_units reads a history, and what it keeps.
struct UpdateOptions {
  static constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

  std::string unit = {};  // the column that names the unit of each row
  std::string time = {};  // the column with the time of each row; empty means no times
  // A row counts half after this time, in the unit of the time column (seconds for dates). The age
  // of a row is counted back from the time for which a belief is asked, or from the unit's last
  // row. Empty means the half-life of the states that are updated; 0 means that rows are never
  // forgotten.
  std::optional<double> half_life = {};
  // The number of latest rows of each unit that are kept as they are. Older rows are summarised by
  // a normal distribution, which is an approximation unless the outcomes are gaussian. Empty means
  // the number of the states that are updated.
  std::optional<std::size_t> keep_rows = {};
  // The candidates whose mean factors are used for centring. Only a model with centred factors
  // needs them.
  const FeasibleSet* centered_by = nullptr;
  // The next two fields say what to do with values that did not occur in training, and with numbers
  // far outside the range of training.
  UnknownPolicy unknown = UnknownPolicy::kCount;
  OutsidePolicy outside = OutsidePolicy::kCount;
  UnknownCounts* counts = nullptr;  // counts of such values are added here; null: not counted
  int threads = 0;                  // 0 means all cores; the states do not depend on this number
};

// The states of units under one model. A UnitStates is immutable and cheap to copy. Several threads
// can use the same object at once.
class UnitStates {
 public:
  struct Parts;  // internal to the library

  // Makes an object without units. Throws an Error(kUsage) if the model was fitted without units.
  explicit UnitStates(const Fitted& fitted);
  explicit UnitStates(std::shared_ptr<const Parts> parts);

  const Fitted& fitted() const;  // the model
  std::size_t num_units() const;
  bool has_times() const;         // true if the rows of the history had times
  double half_life() const;       // 0 means that rows are never forgotten
  std::size_t keep_rows() const;  // see UpdateOptions::keep_rows
  const std::string& name(std::size_t unit) const;
  std::size_t num_rows(std::size_t unit) const;  // the number of rows seen of this unit
  double last_time(std::size_t unit) const;      // precondition: has_times()
  // Returns the number of a unit, from 0 to num_units() - 1, or nothing for an unknown unit.
  std::optional<std::size_t> find(std::string_view name) const;

  // Returns what all rows of a unit say about it.
  UnitBelief belief(std::size_t unit) const;
  // Returns what the rows before `time` say about a unit; nothing if the unit has no such rows.
  // Throws an Error(kInput) if the states have no times, or if a row at or after `time` can no
  // longer be left out because it is already part of the summary of older rows.
  std::optional<UnitBelief> belief(std::size_t unit, double time) const;

  const Parts& parts() const { return *parts_; }  // only for code inside the library

 private:
  std::shared_ptr<const Parts> parts_;
};

// Reads a history and returns the states of its units. A unit that `states` has already is updated:
// its new rows must be later than its last row, so both the states and the history need times. The
// history must have the model's context columns, factors and outcome.
UnitStates update_units(const UnitStates& states, const TableSource& history,
                        const UpdateOptions& options);

// Saves the states as a table (docs/reference/units-file.md). The suffix of the path gives the
// format. The bytes of the file do not depend on the number of threads; 0 means all cores.
void save_units(const UnitStates& states, const std::string& path, int threads = 0);

// Loads states. The file must have been made with this model; another file, or a damaged one, is an
// Error(kInput).
UnitStates load_units(const Fitted& fitted, const std::string& path);

// Says which units the rows of a table belong to, and what is known about these units.
struct UnitColumns {
  const UnitStates* states = nullptr;  // null means that rows have no units
  std::string unit = {};               // the column that names the unit of each row
  // The column with the time of each row. If it is given, only rows of the history that are
  // strictly earlier count. Empty means that all rows of the history count.
  std::string time = {};
};

// Throws an Error(kInput) if a row of the table is also a row of the history of `columns.states`,
// and `columns.time` is not given: what is known about a unit must not come from the row itself.
// Only kept rows can be compared. A table without factors or outcome shares no rows.
void require_new_rows(const UnitColumns& columns, const TableSource& table,
                      const FeasibleSet* centered_by = nullptr);

// What is known about the units of consecutive rows of a table.
class BeliefsOfRows {
 public:
  BeliefsOfRows() = default;
  // `units` names the unit of each row; a missing name (data() == nullptr) is an unknown unit.
  // `times` has the time of each row; empty means that all rows of the history count. Error
  // messages name `table`, and count rows from `first_row`.
  BeliefsOfRows(const UnitStates& states, std::span<const std::string_view> units,
                std::span<const double> times, std::string_view table, std::size_t first_row,
                int threads);
  BeliefsOfRows(BeliefsOfRows&&) = default;
  BeliefsOfRows& operator=(BeliefsOfRows&&) = default;

  UnitBeliefs of_rows() const { return of_rows_; }
  const UnitBelief* operator[](std::size_t row) const {
    return of_rows_.empty() ? nullptr : of_rows_[row];
  }
  std::size_t num_known() const;  // the number of rows whose unit has rows in the history

 private:
  std::vector<UnitBelief> beliefs_;
  std::vector<const UnitBelief*> of_rows_;  // these point into beliefs_
};

}  // namespace otss
