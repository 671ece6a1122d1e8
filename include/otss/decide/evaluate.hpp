// This header evaluates a model on a table. It measures the model's predictions, how the gate
// divides contexts among experts, the error of the weights if the true weights are known, and the
// value of the model's decisions.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "otss/base/bounds.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

// Asks for the value of the model's decisions, estimated from a log whose decisions another policy
// chose.
struct PolicyQuestion {
  PolicyColumns columns;   // the logged decision and its propensity
  double level = 0.9;      // confidence of the intervals (see is_confidence)
  bool in_sample = false;  // false: a table that the model was fitted on is an Error
};

struct EvaluateOptions {
  // A table with the true weights, in columns w_<factor>. Row i of this table holds the true weights
  // of row i of the evaluated table. Absent if the true weights are not known.
  std::optional<TableSource> truth = {};
  // The column with a segmentation to compare the experts with. Empty means no comparison.
  std::string segments = {};
  std::optional<PolicyQuestion> policy = {};
  // The decisions to choose from. Only the regret and the value of a policy need these decisions.
  const FeasibleSet* feasible = nullptr;
  // The candidates whose mean factors are used for centring. Only a model with centred factors
  // needs them.
  const FeasibleSet* centered_by = nullptr;
  double level = 0.9;  // confidence of the intervals of all measures (see is_confidence)
  // The column with the groups of rows that may depend on each other, such as the rows of one
  // person. Empty means the group column that the model was fitted with, if the table has it.
  std::string group = {};
  // The units of the rows. Weights, predictions and decisions are those of the unit.
  UnitColumns units = {};
  // Says what to do with values that did not occur in training.
  UnknownPolicy unknown = UnknownPolicy::kCount;
  // Says what to do with numbers far outside the range of training.
  OutsidePolicy outside = OutsidePolicy::kCount;
  // The processes that evaluate the table together; null means one process. Each reads a share of the
  // rows. Rank 0 gets the result of all rows, and other ranks get an empty Evaluation. `policy` cannot
  // be given then.
  Ranks* ranks = nullptr;
};

// Compares the model's weights and decisions with the true weights w*. A number that cannot be
// computed is NaN.
struct TruthScore {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double weight_mse = kNone;  // the mean over rows of sum_j (w_j - w*_j)²
  // weight_mse after each factor is divided by its standard deviation over the feasible set.
  double weight_mse_scaled = kNone;
  double regret = kNone;      // the mean over rows of max_d w*'z_d - w*'z_chosen
  double match_rate = kNone;  // the share of rows whose decision is optimal under w*
};

// Confidence intervals of the numbers in TruthScore. They are NaN where the number is NaN.
struct TruthIntervals {
  Bounds weight_mse, weight_mse_scaled, regret, match_rate;
};

struct EvaluatedPolicy {
  PolicyValue value;
  bool in_sample = false;             // true if the model was fitted on this table
  std::vector<std::string> warnings;  // sentences that say why the value should not be trusted
};

struct Evaluation {
  std::size_t rows = 0;
  std::optional<PredictionQuality> quality;  // absent if the table has no factors or no outcome
  std::optional<QualityIntervals> quality_intervals;  // present if `quality` is
  std::optional<GateUse> gate;                        // absent if the model has no experts
  // The adjusted Rand index between two segmentations of the rows: the column
  // EvaluateOptions::segments, and the expert with the largest share in each row.
  std::optional<double> segment_agreement;
  std::optional<TruthScore> truth;
  std::optional<TruthIntervals> truth_intervals;  // present if `truth` is
  double level = 0.9;                             // confidence of the intervals
  std::size_t num_units = 0;  // the number of independent groups, or of rows if there are no groups
  std::string group;          // the column with the groups; empty if all rows are independent
  bool in_sample = false;     // true if the model was fitted on this table
  std::optional<EvaluatedPolicy> policy;
  UnknownCounts unknown;  // counts of values that did not occur in training
};

// Evaluates the model on a table. The table must have the model's context columns. It must also
// have the factors and the outcome, unless EvaluateOptions::truth or EvaluateOptions::policy is
// given. If a value cannot be used, throws an Error that names the table, the row and the column.
Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options = {});

}  // namespace otss
