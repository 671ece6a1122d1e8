#include "learn/problem/factor_information.hpp"

#include <Eigen/Cholesky>
#include <vector>

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A ridge, relative to the largest diagonal entry of the matrix. It is far smaller than any
// relevant share of variance and far larger than rounding errors.
constexpr double kRidge = 1e-11;

}  // namespace

MatrixXd schur_complement(const MatrixXd& curvature, Index first, Index count, Index first_given,
                          Index num_given) {
  MatrixXd given = curvature.block(first_given, first_given, num_given, num_given);
  given.diagonal().array() += kRidge * given.diagonal().maxCoeff();
  const MatrixXd cross = curvature.block(first_given, first, num_given, count);
  const MatrixXd rest =
      curvature.block(first, first, count, count) - cross.transpose() * given.ldlt().solve(cross);
  return 0.5 * (rest + rest.transpose());
}

FactorVariation factor_variation(const Problem& problem, int num_threads) {
  // At theta = 0 all rows have the same curvature. So the matrix is proportional to the matrix of a
  // least-squares regression.
  const MixtureLayout layout = problem.layout(1);
  const std::vector<double> zero(layout.size(), 0.0);
  const MatrixXd sums = curvature(problem, zero, layout, num_threads);
  const auto baseline = static_cast<Index>(layout.baseline());
  const auto factors = static_cast<Index>(layout.expert(0));
  const Index intercept = baseline + layout.num_contexts;
  const double total = sums(intercept, intercept);
  return {schur_complement(sums, factors, layout.num_factors, intercept, 1) / total,
          schur_complement(sums, factors, layout.num_factors, baseline, layout.num_contexts + 1) /
              total};
}

MatrixXd factor_information(const Problem& problem, std::span<const double> pooled_theta,
                            int num_threads) {
  const MixtureLayout layout = problem.layout(1);
  return schur_complement(curvature(problem, pooled_theta, layout, num_threads),
                          static_cast<Index>(layout.expert(0)), layout.num_factors,
                          static_cast<Index>(layout.baseline()), layout.num_contexts + 1);
}

}  // namespace otss::internal
