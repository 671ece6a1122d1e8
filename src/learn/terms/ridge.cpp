#include "learn/terms/ridge.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostRounds = 25;
constexpr int kMostRidgeHalvings = 12;
// The rounds stop when every coefficient changes by less than kSmallStep, and the relative change
// of every strength is below kSettledStrength.
constexpr double kSmallStep = 1e-3;
constexpr double kSettledStrength = 0.05;
constexpr double kWeakestStrength = 0.01, kStrongestStrength = 1e5;
constexpr double kInterceptStrength = 1e-6;

double total_loss(const Problem& rows, const VectorXd& eta) {
  double sum = 0;
  for (Index i = 0; i < eta.size(); ++i) {
    const double weight = rows.weight(i);
    if (weight > 0) sum += weight * rows.family().loss(eta[i], rows.outcome(i));
  }
  return sum;
}

VectorXd penalties(const Ridge& fit, const std::vector<TermBlock>& blocks) {
  VectorXd result(static_cast<Index>(blocks.size()));
  for (Index c = 0; c < result.size(); ++c) {
    const TermBlock block = blocks[c];
    result[c] = block == TermBlock::kIntercept ? kInterceptStrength
                                               : fit.strengths[static_cast<std::size_t>(block)];
  }
  return result;
}

// Re-estimates the strengths. Returns the largest change of the logarithm of a strength.
double update_strengths(const std::vector<TermBlock>& blocks, const VectorXd& penalty,
                        const VectorXd& variances, Ridge& fit) {
  std::array<double, kNumTermBlocks> effective{}, squares{};
  for (Index c = 0; c < penalty.size(); ++c) {
    const auto block = static_cast<std::size_t>(blocks[c]);
    effective[block] += 1 - penalty[c] * variances[c];
    squares[block] += fit.coefficients[c] * fit.coefficients[c];
  }
  double change = 0;
  for (std::size_t block = 1; block < kNumTermBlocks; ++block) {
    if (effective[block] == 0) continue;
    const double strength =
        std::clamp(std::max(effective[block], 1e-3) / std::max(squares[block], 1e-12),
                   kWeakestStrength, kStrongestStrength);
    change = std::max(change, std::abs(std::log(strength / fit.strengths[block])));
    fit.strengths[block] = strength;
  }
  return change;
}

}  // namespace

RowDerivatives row_derivatives(const Problem& rows, const VectorXd& eta) {
  RowDerivatives at{VectorXd::Zero(eta.size()), VectorXd::Zero(eta.size())};
  for (Index i = 0; i < eta.size(); ++i) {
    const double weight = rows.weight(i);
    if (weight == 0) continue;
    at.residuals[i] = -weight * rows.family().slope(eta[i], rows.outcome(i));
    at.curvatures[i] = weight * rows.family().curvature(eta[i]);
  }
  return at;
}

Ridge fit_ridge(const Problem& rows, const VectorXd& offset, const MatrixXd& columns,
                const std::vector<TermBlock>& blocks, const Ridge& start) {
  Ridge fit = start;
  fit.coefficients = VectorXd::Zero(columns.cols());
  fit.coefficients.head(start.coefficients.size()) = start.coefficients;
  VectorXd eta = offset + columns * fit.coefficients;
  for (int round = 0; round < kMostRounds; ++round) {
    check_interrupt();
    const VectorXd penalty = penalties(fit, blocks);
    const RowDerivatives at = row_derivatives(rows, eta);
    const MatrixXd scaled = at.curvatures.cwiseSqrt().asDiagonal() * columns;
    MatrixXd hessian = MatrixXd::Zero(columns.cols(), columns.cols());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    hessian.diagonal() += penalty;
    const Eigen::LLT<MatrixXd> factored(hessian);
    VectorXd step =
        factored.solve(columns.transpose() * at.residuals - penalty.cwiseProduct(fit.coefficients));
    const auto penalised = [&](const VectorXd& coefficients, const VectorXd& predictors) {
      return total_loss(rows, predictors) +
             0.5 * penalty.cwiseProduct(coefficients.cwiseAbs2()).sum();
    };
    const double before = penalised(fit.coefficients, eta);
    for (int halving = 0; halving <= kMostRidgeHalvings; ++halving, step /= 2) {
      const VectorXd moved = fit.coefficients + step;
      const VectorXd predictors = offset + columns * moved;
      if (!(penalised(moved, predictors) <= before + 1e-9 * std::abs(before))) continue;
      fit.coefficients = moved;
      eta = predictors;
      break;
    }
    const VectorXd variances =
        factored.solve(MatrixXd::Identity(columns.cols(), columns.cols())).diagonal();
    const double change = update_strengths(blocks, penalty, variances, fit);
    if (change < kSettledStrength && step.cwiseAbs().maxCoeff() < kSmallStep) break;
  }
  return fit;
}

}  // namespace otss::internal
