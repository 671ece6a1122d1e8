// Measures one method on one simulated log: regret, weight error, log-loss and use of the gate.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// The measurements of one method. A field that does not apply is NaN; for example, trees have no
// weights, and the pooled model has no gate.
struct Scorecard {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double regret = kNone;             // mean regret over the test contexts
  double weight_mse = kNone;         // mean over test contexts of |w(x) - w*(x)|²
  double weight_mse_scaled = kNone;  // weight_mse with factors scaled to unit standard deviation
  // The share of test contexts in which the chosen decision is a best one under the true weights.
  double match_rate = kNone;
  double regret_bound = kNone;       // mean over test contexts of the bound in margin_transfer.hpp
  double log_loss = kNone;           // mean log-loss over the test rows, in nats
  double experts = kNone;            // number of experts of the model, or of hard regions
  double gate_entropy = kNone;       // mean entropy H(alpha(x)), in nats
  double effective_experts = kNone;  // mean of exp H(alpha(x))
  // Adjusted Rand index between two partitions of the test contexts: by the expert with the largest
  // share in the model, and by the expert with the largest share in the truth.
  double cluster_alignment = kNone;
  double supported = kNone;  // 1 if the log supports the gain over pooled, else 0
  // The next fields are measured by measure_promises() only.
  double coverage = kNone;   // share of the true weights that 90 % intervals cover
  double certified = kNone;  // share of test contexts whose decision is certified at 90 %
  double certified_wrong =
      kNone;                   // share of test contexts whose certified decision is not a best one
  double known_share = kNone;  // WeightChecks::known_share
  double misfit = kNone;       // 1 if the fit says that the gate does not fit, else 0
  double flagged = kNone;      // 1 if some check of the weights failed, else 0
  // Squared error of gate and experts (aligned_parameter_error); in the study `rates-learned` only.
  double parameter_error = kNone;
  double seconds = kNone;  // time to choose settings and to fit
};

// Describes a column of the result tables.
struct ScorecardColumn {
  std::string_view name;
  double Scorecard::*field;
};

// The columns, in the order of the tables. `seconds` is not among them, because it is not
// reproducible.
inline constexpr ScorecardColumn kScorecardColumns[] = {
    {"regret", &Scorecard::regret},
    {"weight_mse", &Scorecard::weight_mse},
    {"weight_mse_scaled", &Scorecard::weight_mse_scaled},
    {"match_rate", &Scorecard::match_rate},
    {"regret_bound", &Scorecard::regret_bound},
    {"log_loss", &Scorecard::log_loss},
    {"experts", &Scorecard::experts},
    {"gate_entropy", &Scorecard::gate_entropy},
    {"effective_experts", &Scorecard::effective_experts},
    {"cluster_alignment", &Scorecard::cluster_alignment},
    {"supported", &Scorecard::supported},
    {"coverage", &Scorecard::coverage},
    {"certified", &Scorecard::certified},
    {"certified_wrong", &Scorecard::certified_wrong},
    {"known_share", &Scorecard::known_share},
    {"misfit", &Scorecard::misfit},
    {"flagged", &Scorecard::flagged},
    {"parameter_error", &Scorecard::parameter_error}};

// Measures a model on the test rows of the simulation. Throws std::logic_error if the regret in
// some context exceeds the bound in margin_transfer.hpp; only a bug in the code or in the theory
// can cause this error.
Scorecard measure(const Simulation& simulation, const Fitted& fitted);

// Measures weights in the test contexts (rows × J) of a method that is not a model of the library.
Scorecard measure_weights(const Simulation& simulation, std::span<const double> weights);

// Measures the oracle gate on the test rows of the simulation. `weights` are the weights that the
// oracle gate has in the test contexts.
Scorecard measure_oracle(const Simulation& simulation, std::span<const double> weights);

}  // namespace otss::internal
