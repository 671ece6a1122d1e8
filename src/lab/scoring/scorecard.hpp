// What is recorded of one method on one simulated log.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// NaN where it does not apply: trees have no weights, pooled has no gate.
struct Scorecard {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double regret = kNone;
  double weight_mse = kNone;
  double weight_mse_scaled = kNone;  // factors at unit sd
  double match_rate = kNone;         // share of contexts whose decision is a best one
  double regret_bound = kNone;       // mean of 2 delta 1{gamma <= 2 delta}: what the theory allows
  double log_loss = kNone;           // of the test rows
  double experts = kNone;            // of the model
  double gate_entropy = kNone;
  double effective_experts = kNone;  // mean of exp H(alpha(x))
  double cluster_alignment = kNone;  // adjusted Rand index of largest shares, model against truth
  double supported = kNone;          // 1 when held-out rows say that there is heterogeneity
  double seconds = kNone;            // of the fit, model selection included
};

struct ScorecardColumn {
  std::string_view name;
  double Scorecard::*field;
};

// In the order of the tables. `seconds` is not among them: it is not reproducible.
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
    {"supported", &Scorecard::supported}};

// A model on the simulation's test rows. A regret above what the theory allows in any context is a
// bug, here or in the theory: std::logic_error.
Scorecard measure(const Simulation& simulation, const Fitted& fitted);

// The same for the experts that know the true gate, given their weights of the test contexts.
Scorecard measure_oracle(const Simulation& simulation, std::span<const double> weights);

}  // namespace otss
