#include "learn/units/variation.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kVariationRows = 20'000;

// The variance of the outcome given eta, on the scale of eta. `level` is the mean of eta, and
// `variance` its variance.
double rest_variance(OutputFamily family, const Population& population, double level,
                     double variance) {
  switch (family.kind()) {
    case OutputFamily::kGaussian: return population.noise_variance;
    case OutputFamily::kPoisson: return std::log1p(std::exp(-level - 0.5 * variance));
    case OutputFamily::kBernoulli: break;
  }
  return std::numbers::pi * std::numbers::pi / 3;
}

}  // namespace

VariationShares variation_shares(const Problem& problem, const UnitIndex& index,
                                 const Population& population, int num_threads) {
  const Problem some =
      problem.num_rows() > kVariationRows ? subsample(problem, kVariationRows) : problem;
  const auto rows = static_cast<Index>(some.num_rows());
  const Index num_factors = some.num_factors();
  VectorXd eta(rows);
  linear_predictors(*some.features, population.layout, population.theta, num_threads,
                    {eta.data(), static_cast<std::size_t>(rows)});
  MatrixXd factors = MatrixXd::Ones(rows, num_factors + 1);
  VectorXd weights(rows);
  double unit = 0;
  const UnitReader reader(some, index, population.spread, {});
  std::vector<double> direction(population.spread.rank());
  for (Index i = 0; i < rows; ++i) {
    weights[i] = some.weight(i) / some.rows.total();
    for (Index j = 0; j < num_factors; ++j)
      factors(i, j) = some.features->at(i, some.num_contexts + static_cast<int>(j));
    reader.direction(i, direction);
    for (const double entry : direction) unit += weights[i] * entry * entry;
  }
  const double level = weights.dot(eta);
  const double variance = weights.dot((eta.array() - level).square().matrix());
  const MatrixXd weighted = weights.asDiagonal() * factors;
  const VectorXd common =
      factors * (factors.transpose() * weighted).ldlt().solve(weighted.transpose() * eta);
  const double context = std::min(variance, weights.dot((eta - common).array().square().matrix()));
  const double rest = rest_variance(problem.family(), population, level, variance + unit);
  const double total = variance + unit + rest;
  return {(variance - context) / total, context / total, unit / total, rest / total};
}

}  // namespace otss::internal
