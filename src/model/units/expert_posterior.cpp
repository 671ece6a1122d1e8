// This file computes which expert a unit resembles, given its rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "model/units/packed_cholesky.hpp"
#include "model/units/unit_model.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Returns the log likelihood of the unit's rows if its weights were those of expert k plus a
// deviation, up to a number that all experts share. The rows say that the coordinates have the
// normal distribution with precision P and mean m, if they are N(0, I) before; P - I is what the
// rows themselves say. If the coordinates are N(d, I) before, the likelihood of the rows is
//
//   d'm - d'd / 2 + d'P⁻¹d / 2
double log_likelihood(const UnitBelief& unit, std::span<const double> d) {
  std::vector<double> solved(d.begin(), d.end());
  solve_lower(unit.factor, solved);
  return product(d, unit.mean) - 0.5 * product(d, d) + 0.5 * product(solved, solved);
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

void expert_posterior(const Fitted& fitted, std::span<const double> x, const UnitBelief* unit,
                      std::span<double> probabilities) {
  const Mixture* mixture = fitted.mixture();
  if (mixture == nullptr)
    throw Error(ErrorCode::kInput, "the model has no experts, so units cannot resemble one");
  mixture->shares(x, probabilities);
  if (unit == nullptr) return;
  const std::vector<double>& intercepts = fitted.baseline().expert_intercepts;
  std::vector<double> w(fitted.num_factors());
  fitted.weights(x, w);
  const double intercept = product(probabilities, intercepts);
  std::vector<double> difference(1 + w.size());
  std::vector<double> coordinates(unit->mean.size());
  std::vector<double> logs(probabilities.size());
  for (std::size_t k = 0; k < logs.size(); ++k) {
    difference[0] = intercepts[k] - intercept;
    for (std::size_t j = 0; j < w.size(); ++j) {
      difference[1 + j] =
          (mixture->expert(static_cast<int>(k))[j] - w[j]) * fitted.encoder().factors[j].scale;
    }
    unit->model->coordinates_of(difference, coordinates);
    logs[k] = log_likelihood(*unit, coordinates);
  }
  const double largest = *std::ranges::max_element(logs);
  double total = 0;
  for (std::size_t k = 0; k < logs.size(); ++k)
    total += probabilities[k] *= std::exp(logs[k] - largest);
  for (double& probability : probabilities) probability /= total;
}

}  // namespace otss
