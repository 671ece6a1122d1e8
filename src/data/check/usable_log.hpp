// The part of a log that a model can be fitted to. It omits the rows and columns that read_log
// refuses, so that a defect in one row or column does not hide other defects.
#pragma once

#include <vector>

#include "data/log/raw_log.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

struct UsableLog {
  // Indices of the usable rows, contexts and factors in the RawLog.
  std::vector<std::size_t> rows, contexts, factors;
  OutcomeKind outcome = OutcomeKind::kBinary;
  // If the outcomes are two numbers other than 0 and 1: the number that counts as 1.
  double one = 1;
  bool outcome_varies = true;

  // True if no model can be fitted.
  bool is_empty() const { return rows.empty() || factors.empty() || !outcome_varies; }
};

// Checks every column for missing and invalid values, constants, duplicates and ids. Returns the
// usable part of the log.
UsableLog check_columns(const RawLog& log, Findings& findings);

// The values of the usable rows, as a model gets them. Binary outcomes become 0 and 1.
std::vector<double> usable_values(const UsableLog& usable, const RawColumn& column);
std::vector<double> usable_outcomes(const UsableLog& usable, const RawLog& log);
std::vector<double> usable_weights(const UsableLog& usable, const RawLog& log);

// Returns the usable part as a LoggedData, encoded as read_log does. threads = 0 means all cores.
LoggedData make_usable_log(const UsableLog& usable, const RawLog& log, int threads);

}  // namespace otss::internal
