// Evaluates a model on a table: its predictions, how its gate divides contexts, its weights
// compared with known true weights, and the value of its decisions.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// Requests the value of the model's decisions on a table that another policy logged.
struct PolicyQuestion {
  PolicyColumns columns;   // the logged decision and its propensity
  double level = 0.9;      // confidence of the intervals (see is_confidence)
  bool in_sample = false;  // false: a table that the model was fitted on is an Error
};

struct EvaluateOptions {
  // File with the true weights in columns w_<factor>, matched by row; empty if the true weights are
  // not known.
  std::string truth = {};
  std::string segments = {};  // column with a segmentation to compare the experts with; empty: none
  std::optional<PolicyQuestion> policy = {};
  const FeasibleSet* feasible = nullptr;  // the decisions to choose from; regret and policy need it
  // The candidates for centring the factors; only a model with centred factors needs it.
  const FeasibleSet* centered_by = nullptr;
  // What to do with values that did not occur in training.
  UnknownPolicy unknown = UnknownPolicy::kCount;
};

// Weights and decisions compared with the true weights w*. A score that cannot be computed is NaN.
struct TruthScore {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double weight_mse = kNone;  // mean over rows of sum_j (w_j - w*_j)²
  // The value of weight_mse with factors divided by their sd over the feasible set.
  double weight_mse_scaled = kNone;
  double regret = kNone;      // mean of max_d w*'z_d - w*'z_chosen
  double match_rate = kNone;  // share of rows whose decision is optimal under w*
};

struct EvaluatedPolicy {
  PolicyValue value;
  bool in_sample = false;             // true if the model was fitted on this table
  std::vector<std::string> warnings;  // reasons not to trust the value, as sentences
};

struct Evaluation {
  std::size_t rows = 0;
  std::optional<PredictionQuality> quality;  // if the table has the factors and the outcome
  std::optional<GateUse> gate;               // if the model has experts
  // Adjusted Rand index between the column EvaluateOptions::segments and the expert with the
  // largest share in each row.
  std::optional<double> segment_agreement;
  std::optional<TruthScore> truth;
  std::optional<EvaluatedPolicy> policy;
  UnknownCounts unknown;  // values that did not occur in training
};

// Evaluates the model on a table. The table must have the model's context columns. It must also
// have the factors and the outcome, unless EvaluateOptions::truth or EvaluateOptions::policy is
// given. An Error names the table, the row and the column.
Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options = {});

}  // namespace otss
