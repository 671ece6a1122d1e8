// What is recorded of one method on one simulated log.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "lab/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// NaN where it does not apply: trees have no weights, pooled has no gate.
struct Measured {
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

struct MeasuredColumn {
  std::string_view name;
  double Measured::*field;
};

// In the order of the tables. `seconds` is not among them: it is not reproducible.
inline constexpr MeasuredColumn kMeasuredColumns[] = {
    {"regret", &Measured::regret},
    {"weight_mse", &Measured::weight_mse},
    {"weight_mse_scaled", &Measured::weight_mse_scaled},
    {"match_rate", &Measured::match_rate},
    {"regret_bound", &Measured::regret_bound},
    {"log_loss", &Measured::log_loss},
    {"experts", &Measured::experts},
    {"gate_entropy", &Measured::gate_entropy},
    {"effective_experts", &Measured::effective_experts},
    {"cluster_alignment", &Measured::cluster_alignment},
    {"supported", &Measured::supported}};

// A model on the simulation's test rows. A regret above what the theory allows in any context is a
// bug, here or in the theory: std::logic_error.
Measured measure(const Simulation& simulation, const Fitted& fitted);

// The same for the experts that know the true gate, given their weights of the test contexts.
Measured measure_oracle(const Simulation& simulation, std::span<const double> weights);

}  // namespace otss
