// The part of a log that a model can be fitted to: without the rows and columns that read_log
// refuses, so that one defect does not hide the others.
#pragma once

#include <vector>

#include "data/log/raw_log.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct UsableLog {
  std::vector<std::size_t> rows, contexts, factors;  // indices in the RawLog
  OutcomeKind outcome = OutcomeKind::kBinary;
  double one = 1;  // if outcomes are two other numbers: the one that counts as 1
  bool outcome_varies = true;

  // True if no model can be fitted.
  bool is_empty() const { return rows.empty() || factors.empty() || !outcome_varies; }
};

// Checks every column: missing and invalid values, constants, duplicates, ids.
UsableLog check_columns(const RawLog& log, Findings& findings);

// Values of the usable rows, as a model gets them; binary outcomes as 0 and 1.
std::vector<double> usable_values(const UsableLog& usable, const RawColumn& column);
std::vector<double> usable_outcomes(const UsableLog& usable, const RawLog& log);
std::vector<double> usable_weights(const UsableLog& usable, const RawLog& log);

// The usable part as a LoggedData, encoded as read_log does. 0 threads: all cores.
LoggedData make_usable_log(const UsableLog& usable, const RawLog& log, int threads);

}  // namespace otss
