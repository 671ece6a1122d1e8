#include "learn/probabilities/taste_start.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Distance of the experts from their centre, in the units of directions(). In experiments on the
// log `bank`, starts at this distance reached the best optima.
constexpr double kTasteSpread = 0.5;
constexpr double kTasteRidge = 1e-9;  // keeps the information invertible if factors are collinear

// Returns coordinate m of vertex k of a regular simplex with `count` vertices, whose centre is 0 and
// whose mean squared coordinate is 1.
double simplex_coordinate(int count, int k, int m) {
  const double left = count - m;  // number of vertices from m on; those before m are 0 here
  if (k < m) return 0;
  const double unit = std::sqrt(static_cast<double>(count));
  return k == m ? unit * std::sqrt((left - 1) / left) : -unit / std::sqrt(left * (left - 1));
}

}  // namespace

TasteStart::TasteStart(const Problem& problem, std::span<const double> pooled)
    : pooled_layout_(problem.layout(1)), pooled_(pooled.begin(), pooled.end()) {
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, pooled_layout_, pooled, 1, eta);
  const Index num_factors = problem.num_factors();
  MatrixXd variation = MatrixXd::Zero(num_factors, num_factors);
  MatrixXd information = variation;
  Eigen::VectorXd z(num_factors);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (problem.weight(i) == 0) continue;
    for (Index j = 0; j < num_factors; ++j)
      z[j] = problem.features->at(i, problem.num_contexts + static_cast<int>(j));
    const double p = problem.family().mean(eta[i]);
    const double share = problem.weight(i) / problem.rows.total();
    variation.selfadjointView<Eigen::Lower>().rankUpdate(
        z, share * (problem.outcome(i) - p) * (1 - 2 * p));
    information.selfadjointView<Eigen::Lower>().rankUpdate(z, share * p * (1 - p));
  }
  information.diagonal().array() +=
      kTasteRidge * std::max(information.trace() / static_cast<double>(num_factors), 1e-12);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solved(variation, information);
  directions_ = solved.eigenvectors().rowwise().reverse();
}

std::vector<double> TasteStart::start(int num_experts) const {
  const MixtureLayout layout{pooled_layout_.num_contexts, pooled_layout_.num_factors, num_experts};
  std::vector<double> theta(layout.size(), 0.0);
  std::copy_n(pooled_.begin() + static_cast<std::ptrdiff_t>(pooled_layout_.baseline()),
              layout.num_contexts + 1,
              theta.begin() + static_cast<std::ptrdiff_t>(layout.baseline()));
  for (int k = 0; k < num_experts; ++k) {
    for (int j = 0; j <= layout.num_factors; ++j)
      theta[layout.expert(k) + j] = pooled_[pooled_layout_.expert(0) + j];
    // If there are fewer directions than K - 1, some are used again, so that all experts differ.
    for (int m = 0; m + 1 < num_experts; ++m) {
      const double step = kTasteSpread * simplex_coordinate(num_experts, k, m);
      for (int j = 0; j < layout.num_factors; ++j)
        theta[layout.expert(k) + j] += step * directions_(j, m % directions_.cols());
    }
  }
  return theta;
}

}  // namespace otss::internal
