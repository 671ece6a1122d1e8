// How good a model is on a table: its predictions, the use of its gate, its weights against known
// ones, and the value of its decisions.
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

// Asks for the value of the model's decisions on a table that another policy made.
struct PolicyQuestion {
  PolicyColumns columns;   // the logged decision and its propensity
  double level = 0.9;      // confidence of the intervals
  bool in_sample = false;  // value them even on the rows the model was fitted on
};

struct EvaluateOptions {
  std::string truth = {};     // table of true weights w_<factor>, matched by row; empty: not known
  std::string segments = {};  // column with a segmentation to compare the experts with; empty: none
  std::optional<PolicyQuestion> policy = {};
  const FeasibleSet* feasible = nullptr;     // what is chosen from: for regret and a policy's value
  const FeasibleSet* centered_by = nullptr;  // candidates that centred factors are counted from
  UnknownPolicy unknown = UnknownPolicy::kCount;
};

// Weights and decisions against the true weights w*. NaN where it cannot be computed.
struct TruthScore {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double weight_mse = kNone;         // mean over rows of sum_j (w_j - w*_j)²
  double weight_mse_scaled = kNone;  // the same with factors at unit sd over the feasible set
  double regret = kNone;             // mean of max_d w*'z_d - w*'z_chosen
  double match_rate = kNone;         // share of rows whose decision is a best one
};

struct EvaluatedPolicy {
  PolicyValue value;
  bool in_sample = false;             // these are the rows the model was fitted on
  std::vector<std::string> warnings;  // what speaks against trusting the value, in sentences
};

struct Evaluation {
  std::size_t rows = 0;
  std::optional<PredictionQuality> quality;  // where the table has the factors and the outcome
  std::optional<GateUse> gate;               // of a model with experts
  // Adjusted Rand index of the segmentation and of the experts with the largest share.
  std::optional<double> segment_agreement;
  std::optional<TruthScore> truth;
  std::optional<EvaluatedPolicy> policy;
  UnknownCounts unknown;  // values that training had not seen
};

// One pass over the table, which needs the model's contexts. Without truth and policy it also needs
// the factors and the outcome. Errors name the table, the row and the column.
Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options = {});

}  // namespace otss
