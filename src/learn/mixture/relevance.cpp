#include "learn/mixture/relevance.hpp"

#include <Eigen/Cholesky>

#include "learn/options/defaults.hpp"

namespace otss::internal {
namespace {

constexpr double kShape = 0.5;
constexpr double kRate = 1e-4;  // rate b of the gamma prior: slopes below about 0.01 count as zero
// The curvature is computed from at most this many rows, because the variances need only one
// significant digit.
constexpr std::size_t kCurvatureRows = 4000;
// The time of the curvature grows with the squared number of parameters. With more parameters than
// this, the curvature of the loss is computed in every third round only. The penalties, which are
// the larger part of the curvature of irrelevant columns, are always the latest ones.
constexpr std::size_t kManyParameters = 128;
int rounds_per_curvature(const MixtureLayout& layout) {
  return layout.size() > kManyParameters ? 3 : 1;
}

// Returns the inverse Cholesky factor of the gate's precision, which is that of all parameters with
// the others eliminated: entries (a, b) of the gate's covariance are inner products of the columns a
// and b of the result. The gate's parameters are the first of a layout. `hessian` is the curvature
// of the loss without its penalty.
Eigen::MatrixXd gate_covariance_factor(Eigen::MatrixXd hessian, const Penalty& penalty,
                                       const MixtureLayout& layout) {
  penalty.add_curvature(layout, hessian);
  hessian.diagonal().array() += 1e-9 * hessian.trace() / static_cast<double>(layout.size());
  const auto gate = static_cast<Eigen::Index>(layout.baseline());
  const auto others = static_cast<Eigen::Index>(layout.size()) - gate;
  const Eigen::LLT<Eigen::MatrixXd> of_others(hessian.bottomRightCorner(others, others));
  const Eigen::MatrixXd eliminated =
      of_others.matrixL().solve(hessian.bottomLeftCorner(others, gate));
  Eigen::MatrixXd precision = hessian.topLeftCorner(gate, gate);
  precision.selfadjointView<Eigen::Lower>().rankUpdate(eliminated.transpose(), -1);
  const Eigen::LLT<Eigen::MatrixXd> of_gate(precision);
  return of_gate.matrixL().solve(Eigen::MatrixXd::Identity(gate, gate));
}

// Returns the posterior mean of sum_k |G_kj - mean_k G_kj|^2 for one context column j. Here G_kj is
// the gate slope of expert k on this column. `theta` does not have these slopes, but the slopes of
// each expert minus those of the last expert.
double expected_square(const MixtureLayout& layout, std::span<const double> theta,
                       const Eigen::MatrixXd& covariance_factor, int column) {
  const int differences = layout.num_experts - 1;
  double sum = 0;
  for (int k = 0; k < differences; ++k) {
    for (int l = 0; l < differences; ++l) {
      const auto a = static_cast<Eigen::Index>(layout.gate(k)) + column;
      const auto b = static_cast<Eigen::Index>(layout.gate(l)) + column;
      const double form = (k == l ? 1.0 : 0.0) - 1.0 / layout.num_experts;
      const double covariance = covariance_factor.col(a).dot(covariance_factor.col(b));
      sum += form * (theta[a] * theta[b] + covariance);
    }
  }
  return sum;
}

}  // namespace

bool relevances_are_learnable(const MixtureLayout& layout) {
  return layout.baseline() <= kMostRelevances && layout.num_contexts <= defaults::kManyColumns;
}

double column_strength(int num_experts, double expected_square) {
  return (kShape + 0.5 * (num_experts - 1)) / (kRate + 0.5 * expected_square);
}

MixtureFit fit_with_relevance(const Problem& problem, Penalty& penalty, const MixtureLayout& layout,
                              std::span<const double> start, int rounds, const FitEffort& effort) {
  MixtureFit fit = fit_mixture(problem, penalty, layout, start, {effort.num_threads, false});
  const bool many = problem.num_rows() > kCurvatureRows;
  const Problem small = many ? subsample(problem, kCurvatureRows) : problem;
  Eigen::MatrixXd of_loss;
  for (int round = 0; round < rounds; ++round) {
    if (round % rounds_per_curvature(layout) == 0) {
      of_loss = curvature(small, fit.theta, layout, effort.num_threads);
      of_loss *= problem.rows.total() / small.rows.total();
    }
    const Eigen::MatrixXd covariance_factor = gate_covariance_factor(of_loss, penalty, layout);
    penalty.relevance.resize(layout.num_contexts);
    const auto strength = [&](int column) {
      return column_strength(layout.num_experts,
                             expected_square(layout, fit.theta, covariance_factor, column));
    };
    for (int j = 0; j < layout.num_contexts; ++j) penalty.relevance[j] = penalty.gate / strength(j);
    penalty.gate_intercept = strength(layout.num_contexts);
    const bool polish = effort.polish && round + 1 == rounds;
    fit = fit_mixture(problem, penalty, layout, fit.theta, {effort.num_threads, polish});
  }
  return fit;
}

}  // namespace otss::internal
