// The part of a log a model could be fitted to: what is left once the rows and columns that
// read_log refuses are set aside, so that one defect does not hide the others.
#pragma once

#include <vector>

#include "data/log/raw_log.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct UsableLog {
  std::vector<std::size_t> rows, contexts, factors;  // where they stand in the RawLog
  OutcomeKind outcome = OutcomeKind::kBinary;
  double one = 1;  // the outcome that counts as 1, where outcomes are two numbers
  bool outcome_varies = true;

  // Nothing is left that could be fitted, not even badly.
  bool is_empty() const { return rows.empty() || factors.empty() || !outcome_varies; }
};

// Every column by itself: missing and impossible values, constants, duplicates, ids.
UsableLog check_columns(const RawLog& log, Findings& findings);

// A value of a row's column as a model would be given it; the outcome as 0 or 1 where it is binary.
std::vector<double> usable_values(const UsableLog& usable, const RawColumn& column);
std::vector<double> usable_outcomes(const UsableLog& usable, const RawLog& log);
std::vector<double> usable_weights(const UsableLog& usable, const RawLog& log);

// The same columns encoded by the same code as read_log's; 0 threads are all cores.
LoggedData make_usable_log(const UsableLog& usable, const RawLog& log, int threads);

}  // namespace otss
