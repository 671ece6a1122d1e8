// One pass over the LOG of a report collects everything that the report says about the log, in memory
// that does not grow with the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/unit_states.hpp"
#include "report/facts.hpp"
#include "report/log_summary.hpp"

namespace otss::internal {

// The largest number of rows from which measures that need single rows are computed: the quality of
// predictions, their calibration, and the value of the model's decisions. A row needs about 80
// bytes.
inline constexpr std::size_t kMostEvaluatedRows = 1'000'000;

// What a report asks of LOG.
struct LogQuestion {
  TableSource table = {};
  const FeasibleSet* feasible = nullptr;  // what is chosen from; null if it is not known
  std::string decision = {};              // the column with the id of the logged decision; or empty
  std::string propensity = {};            // the column with its probability; or empty
  // False: with propensities, a table that the model was fitted on is an Error.
  bool in_sample = false;
  // The column with the groups of rows that may depend on each other. Empty means the group column
  // that the model was fitted with, if LOG has it.
  std::string group = {};
  UnitColumns units = {};
  UnknownPolicy unknown = UnknownPolicy::kCount;
  OutsidePolicy outside = OutsidePolicy::kCount;
  std::uint64_t seed = 1;
  int threads = 0;  // 0 means all cores; the result does not depend on this number
  std::size_t most_evaluated_rows = kMostEvaluatedRows;
  std::size_t most_context_rows = ContextSample::kMostRows;
};

// Predictions and outcomes of a random sample of the rows: of all rows, unless the log is large.
struct EvaluatedSample {
  std::vector<double> eta, outcomes, row_weights;
  std::vector<double> log_losses;  // empty if the losses follow from eta (PredictedFamily)
  std::vector<std::uint32_t> groups;  // numbered from 0 without gaps; empty without groups
};

// How often each decision was chosen and logged. Both lists have one entry per row of the feasible
// set's table.
struct DecisionCounts {
  std::vector<std::size_t> chosen;  // rows in which the decision is the model's best one
  // Rows in which the decision was logged. Empty if logged decisions are not known.
  std::vector<std::size_t> logged;
  std::size_t agreements = 0;  // rows whose best decision was logged
};

struct LogPass {
  LogSummary summary;
  std::vector<std::string> context_ids;      // of the rows of summary.sample; empty for a library
  bool in_sample = false;                    // true if the model was fitted on this table
  std::string group;                         // the column with the groups; empty without groups
  std::optional<GateUse> gate;               // absent if the model has no experts
  std::vector<double> top_share;             // GateUseFacts::top_share
  std::optional<std::size_t> known_units;    // rows whose unit has a history; absent without units
  std::optional<EvaluatedSample> evaluated;  // absent if LOG has no factors or no outcome
  std::optional<DecisionCounts> decisions;   // absent if it is not known what is chosen from
  std::optional<EvaluatedPolicy> policy;     // absent without propensities
};

// Reads LOG once. It is read a second time only if it has as many rows as the log of the fit, to
// find out whether it is that log.
LogPass pass_over_log(const Fitted& fitted, const LogQuestion& question);

}  // namespace otss::internal
