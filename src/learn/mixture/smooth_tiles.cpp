#include "learn/mixture/smooth_tiles.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/interrupt.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/problem/tile_products.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kTilesPerTask = 16;

std::size_t num_tiles(const Problem& problem) {
  return (problem.num_rows() + kTileRows - 1) / kTileRows;
}

// The rows of a tile: [x, 1] and [z, 1].
struct SmoothTile {
  MatrixXd contexts, factors;

  SmoothTile(const Problem& problem, std::size_t tile) {
    const Index p = problem.num_contexts;
    const Index num_factors = problem.num_factors();
    const Eigen::Map<const Eigen::MatrixXf> features(problem.features->tile(tile), kTileRows,
                                                     p + num_factors);
    contexts = MatrixXd::Ones(kTileRows, p + 1);
    contexts.leftCols(p) = features.leftCols(p).cast<double>();
    factors = MatrixXd::Ones(kTileRows, num_factors + 1);
    factors.leftCols(num_factors) = features.rightCols(num_factors).cast<double>();
  }

  VectorXd predictors(const double* coefficients) const {
    const auto height = static_cast<std::size_t>(contexts.cols());
    const auto width = static_cast<std::size_t>(factors.cols());
    const MatrixXd weights = linear_functions(contexts, {width, coefficients, height, 1});
    return weights.cwiseProduct(factors).rowwise().sum();
  }
};

// Returns the summed loss of the rows of a tile, and replaces the linear predictors by the derivatives
// of the loss.
double replace_by_slopes_of(const Problem& problem, std::size_t tile, VectorXd& eta) {
  const OutputFamily family = problem.family();
  if (family == OutputFamily::kBernoulli) return replace_by_slopes(problem.rows.tile(tile), eta);
  double loss = 0;
  for (Index i = 0; i < eta.size(); ++i) {
    const std::size_t row = tile * kTileRows + i;
    const double weight = row < problem.num_rows() ? problem.weight(row) : 0;
    const double predicted = std::exchange(eta[i], 0);
    if (weight == 0) continue;
    loss += weight * family.loss(predicted, problem.outcome(row));
    eta[i] = weight * family.slope(predicted, problem.outcome(row));
  }
  return loss;
}

// Calls body(task, first, last) for consecutive tiles.
void for_tiles(const Problem& problem, int num_threads,
               const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  const std::size_t tiles = num_tiles(problem);
  parallel_for((tiles + kTilesPerTask - 1) / kTilesPerTask, num_threads, [&](std::size_t task) {
    check_interrupt();
    body(task, task * kTilesPerTask, std::min(tiles, (task + 1) * kTilesPerTask));
  });
}

}  // namespace

SmoothTiles::SmoothTiles(const Problem& problem, const MatrixXd& penalty, int num_threads)
    : problem_(problem), penalty_(penalty), num_threads_(num_threads) {}

std::size_t SmoothTiles::size() const { return penalty_.size(); }

double SmoothTiles::add_tile(std::size_t tile, std::span<const double> theta,
                             std::span<double> sums) const {
  const SmoothTile rows(problem_, tile);
  VectorXd eta = rows.predictors(theta.data());
  const double loss = replace_by_slopes_of(problem_, tile, eta);
  add_products(eta.asDiagonal() * rows.factors, rows.contexts, sums.data());
  return loss;
}

double SmoothTiles::evaluate(std::span<const double> theta, std::span<double> gradient) {
  count_rows(problem_.num_rows());
  const std::size_t tasks = (num_tiles(problem_) + kTilesPerTask - 1) / kTilesPerTask;
  std::vector<std::vector<double>> sums(tasks, std::vector<double>(size(), 0.0));
  std::vector<double> losses(tasks, 0.0);
  for_tiles(problem_, num_threads_, [&](std::size_t task, std::size_t first, std::size_t last) {
    for (std::size_t tile = first; tile < last; ++tile)
      losses[task] += add_tile(tile, theta, sums[task]);
  });
  const double total = problem_.rows.total();
  double value = 0;
  for (const double loss : losses) value += loss;
  for (std::size_t i = 0; i < size(); ++i) {
    const double ridge = penalty_.data()[i];
    value += 0.5 * ridge * theta[i] * theta[i];
    gradient[i] = ridge * theta[i];
    for (const std::vector<double>& sum : sums) gradient[i] += sum[i];
    gradient[i] /= total;
  }
  return value / total;
}

std::vector<double> tiled_predictors(const Problem& problem, const MatrixXd& coefficients,
                                     int num_threads) {
  std::vector<double> eta(problem.num_rows());
  for_tiles(problem, num_threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t tile = first; tile < last; ++tile) {
      const VectorXd of_tile = SmoothTile(problem, tile).predictors(coefficients.data());
      const std::size_t begin = tile * kTileRows;
      std::copy_n(of_tile.begin(), std::min(kTileRows, eta.size() - begin), eta.begin() + begin);
    }
  });
  return eta;
}

}  // namespace otss::internal
