#include "lab/theory/margin_transfer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace otss::internal {
namespace {

struct Scores {
  double estimated = 0;
  double truth = 0;
  double difference = 0;
};

Scores score(std::span<const double> w, std::span<const double> w_true, std::span<const double> z) {
  Scores s;
  for (std::size_t j = 0; j < z.size(); ++j) {
    s.estimated += w[j] * z[j];
    s.truth += w_true[j] * z[j];
    s.difference += (w[j] - w_true[j]) * z[j];
  }
  return s;
}

ContextMargin context_margin(std::span<const double> w, std::span<const double> w_true,
                             const ContextDecisions& open) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  double best = kNothing;
  double second = kNothing;
  double best_estimate = kNothing;
  // `chosen` is the true score of the decision with the largest estimated score. It stays NaN if
  // every estimated score is NaN, so that the regret is then NaN and not 0.
  double chosen = std::numeric_limits<double>::quiet_NaN();
  double perturbation = 0;
  for (std::size_t d = 0; d < open.size(); ++d) {
    const Scores s = score(w, w_true, open.factors(d));
    second = std::max(second, std::min(best, s.truth));
    best = std::max(best, s.truth);
    perturbation = std::max(perturbation, std::abs(s.difference));
    if (s.estimated > best_estimate) {
      best_estimate = s.estimated;
      chosen = s.truth;
    }
  }
  return {.regret = best - chosen, .margin = best - second, .perturbation = perturbation};
}

double sum_of_magnitudes(std::span<const double> v) {
  double sum = 0;
  for (const double entry : v) sum += std::abs(entry);
  return sum;
}

double largest_magnitude(std::span<const double> v) {
  double largest = 0;
  for (const double entry : v) largest = std::max(largest, std::abs(entry));
  return largest;
}

// Returns true if the regret is within the paper's bound, and false if the regret or the bound is
// NaN. The paper's inequality holds for exact scores, but computed scores have rounding errors;
// `rounding` is a bound on these errors.
bool holds(const ContextMargin& m, double rounding) {
  const double bound = m.margin <= 2 * m.perturbation + rounding ? 2 * m.perturbation : 0;
  return m.regret <= bound + rounding;
}

}  // namespace

std::vector<ContextMargin> context_margins(std::span<const double> weights,
                                           std::span<const double> truth,
                                           const FeasibleSet& feasible) {
  const int num_factors = feasible.num_factors();
  std::vector<ContextMargin> margins(weights.size() / num_factors);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    margins[i] = context_margin(weights.subspan(i * num_factors, num_factors),
                                truth.subspan(i * num_factors, num_factors), feasible.at(i));
  }
  return margins;
}

MarginTransfer check_margin_transfer(std::span<const double> weights, std::span<const double> truth,
                                     const FeasibleSet& feasible) {
  const int num_factors = feasible.num_factors();
  const std::vector<ContextMargin> margins = context_margins(weights, truth, feasible);
  // The rounding error of a dot product of J terms is at most about J ε Σ|w_j z_j|, where ε is the
  // machine epsilon (Higham 2002, ch. 3). The inequality contains six dot products.
  const double unit = 6 * (num_factors + 2) * std::numeric_limits<double>::epsilon() *
                      largest_magnitude(feasible.factors());
  MarginTransfer transfer{.contexts = margins.size()};
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double magnitude = sum_of_magnitudes(weights.subspan(i * num_factors, num_factors)) +
                             sum_of_magnitudes(truth.subspan(i * num_factors, num_factors));
    transfer.violations += holds(margins[i], unit * magnitude) ? 0 : 1;
    transfer.mean_regret += margins[i].regret;
    transfer.mean_bound += margins[i].bound();
  }
  const auto n = static_cast<double>(margins.size());
  transfer.mean_regret /= n;
  transfer.mean_bound /= n;
  return transfer;
}

}  // namespace otss::internal
