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
  double level = 0.9;      // confidence of the intervals, between 0 and 1
  bool in_sample = false;  // allow the rows that the model was fitted on; else they are an Error
};

struct EvaluateOptions {
  // File with the true weights in columns w_<factor>, matched by row; empty: they are not known.
  std::string truth = {};
  std::string segments = {};  // column with a segmentation to compare the experts with; empty: none
  std::optional<PolicyQuestion> policy = {};
  const FeasibleSet* feasible = nullptr;  // the decisions to choose from; regret and policy need it
  // The candidates for centring the factors; only a model with centred factors needs it.
  const FeasibleSet* centered_by = nullptr;
  UnknownPolicy unknown = UnknownPolicy::kCount;  // for values that did not occur in training
};

// Weights and decisions compared with the true weights w*. NaN: could not be computed.
struct TruthScore {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double weight_mse = kNone;         // mean over rows of sum_j (w_j - w*_j)²
  double weight_mse_scaled = kNone;  // the same, factors divided by their sd over the feasible set
  double regret = kNone;             // mean of max_d w*'z_d - w*'z_chosen
  double match_rate = kNone;         // share of rows whose decision is optimal under w*
};

struct EvaluatedPolicy {
  PolicyValue value;
  bool in_sample = false;             // the table is the one that the model was fitted on
  std::vector<std::string> warnings;  // reasons not to trust the value, as sentences
};

struct Evaluation {
  std::size_t rows = 0;
  std::optional<PredictionQuality> quality;  // if the table has the factors and the outcome
  std::optional<GateUse> gate;               // if the model has experts
  // Adjusted Rand index between EvaluateOptions::segments and each row's expert with the largest
  // share.
  std::optional<double> segment_agreement;
  std::optional<TruthScore> truth;
  std::optional<EvaluatedPolicy> policy;
  UnknownCounts unknown;  // values that did not occur in training
};

// The table must have the model's context columns; unless truth or policy is given, also the
// factors and the outcome. An Error names the table, the row and the column.
Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options = {});

}  // namespace otss
