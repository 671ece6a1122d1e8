#include "lab/theory/regret_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace otss::internal {

double localized_regret_bound(std::span<const ContextMargin> margins, double eta) {
  double close_calls = 0;
  double squared_perturbation = 0;
  for (const ContextMargin& m : margins) {
    close_calls += m.margin <= 2 * eta ? 1 : 0;
    squared_perturbation += m.perturbation * m.perturbation;
  }
  return (2 * eta * close_calls + 2 * squared_perturbation / eta) /
         static_cast<double>(margins.size());
}

MarginTail margin_tail(std::span<const ContextMargin> margins, double exponent) {
  std::vector<double> sorted;
  sorted.reserve(margins.size());
  for (const ContextMargin& m : margins) sorted.push_back(m.margin);
  std::sort(sorted.begin(), sorted.end());
  // The constant is the maximum over t of P(γ <= t) / t^exponent, where γ is the margin. Between
  // two observed margins, P(γ <= t) is constant and t^exponent increases. So the maximum is at an
  // observed margin.
  MarginTail tail{.exponent = exponent};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double probability = static_cast<double>(i + 1) / static_cast<double>(sorted.size());
    tail.constant = std::max(tail.constant, probability / std::pow(sorted[i], exponent));
  }
  return tail;
}

double margin_tail_rate(const MarginTail& tail) {
  return (1 + tail.exponent) / (2 + tail.exponent);
}

double margin_tail_regret_bound(const MarginTail& tail, double largest_factor_norm,
                                double weight_mse) {
  const double v = largest_factor_norm * largest_factor_norm * weight_mse;
  const double a = std::exp2(1 + tail.exponent) * tail.constant;
  // At the optimal η (regret_bounds.hpp), the first term of the bound is 1/(1+α) times the second
  // term; α is tail.exponent.
  const double second = std::pow(2 * v, margin_tail_rate(tail)) *
                        std::pow((1 + tail.exponent) * a, 1 / (2 + tail.exponent));
  return (1 + 1 / (1 + tail.exponent)) * second;
}

}  // namespace otss::internal
