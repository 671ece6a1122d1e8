// A UsableLog is the part of a log that a model can be fitted to. It omits the rows and columns
// that read_log refuses, so that the checks also find defects in the remaining rows and columns.
#pragma once

#include <vector>

#include "data/log/raw_log.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

struct UsableLog {
  // The indices, in the RawLog, of the rows, contexts and factors that are usable.
  std::vector<std::size_t> rows, contexts, factors;
  OutcomeKind outcome = OutcomeKind::kBinary;
  // The value of the outcome column that counts as 1. This value is not 1 if the column has only
  // two values and they are not 0 and 1.
  double one = 1;
  bool outcome_varies = true;

  // Returns true if no model can be fitted to this log.
  bool is_empty() const { return rows.empty() || factors.empty() || !outcome_varies; }
};

// Checks every column for missing and invalid values, constants, duplicates and ids. Returns the
// usable part of the log.
UsableLog check_columns(const RawLog& log, Findings& findings);

// These functions return the values, outcomes and weights of the usable rows, ready for a fit:
// binary outcomes are 0 and 1.
std::vector<double> usable_values(const UsableLog& usable, const RawColumn& column);
std::vector<double> usable_outcomes(const UsableLog& usable, const RawLog& log);
std::vector<double> usable_weights(const UsableLog& usable, const RawLog& log);

// Returns the usable part of the log as a LoggedData, encoded as read_log would encode it.
// threads = 0 means all cores.
LoggedData make_usable_log(const UsableLog& usable, const RawLog& log, int threads);

}  // namespace otss::internal
