#include "learn/probabilities/routed_objective.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/row_parts.hpp"
#include "learn/probabilities/fixed_rows.hpp"
#include "learn/probabilities/mixed_rows.hpp"

namespace otss::internal {

using Eigen::MatrixXd;

RoutedObjective::RoutedObjective(const Problem& problem, const MixtureLayout& layout,
                                 const Routing& routing, const Penalty& penalty, int num_threads)
    : problem_(problem),
      layout_(layout),
      routing_(routing),
      penalty_(penalty),
      num_threads_(num_threads) {
  assert(routing.kind != RoutingKind::kFixed || routing.expert_of_row.size() == problem.num_rows());
  for (std::size_t tile = 0; tile < problem.rows.num_tiles(); ++tile) {
    if (!problem.rows.tile_is_empty(tile)) tiles_.push_back(tile);
  }
}

// The tiles are divided into parts, which have sums of their own. Calls visit(tile) for each tile of a
// part, in their order.
template <class Visit>
void RoutedObjective::for_each_tile(std::size_t part, std::size_t num_parts,
                                    const Visit& visit) const {
  RowTile tile(problem_, layout_, routing_);
  const std::size_t end = (part + 1) * tiles_.size() / num_parts;
  for (std::size_t t = part * tiles_.size() / num_parts; t < end; ++t) {
    tile.read(tiles_[t]);
    visit(tile);
  }
}

double RoutedObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.0);
  if (!std::ranges::all_of(theta, [](double value) { return std::isfinite(value); }))
    return std::numeric_limits<double>::quiet_NaN();
  count_rows(tiles_.size() * kTileRows);
  const auto add_gradient =
      routing_.kind == RoutingKind::kFixed ? add_fixed_gradient : add_mixed_gradient;
  const std::size_t size = layout_.size();
  std::vector<double> losses(num_row_parts(problem_.num_rows()), 0.0);
  std::vector<double> gradients(losses.size() * size, 0.0);
  parallel_for(losses.size(), num_threads_, [&](std::size_t part) {
    const std::span<double> own = std::span(gradients).subspan(part * size, size);
    for_each_tile(part, losses.size(), [&](const RowTile& tile) {
      losses[part] += add_gradient(tile, layout_, theta, own);
    });
  });
  double value = 0;
  for (const double loss : losses) value += loss;
  for (std::size_t i = 0; i < gradients.size(); ++i) gradient[i % size] += gradients[i];
  value += penalty_.add(layout_, theta, gradient);
  const double scale = 1 / problem_.rows.total();
  for (double& entry : gradient) entry *= scale;
  return value * scale;
}

MatrixXd RoutedObjective::curvature_of_mixed(std::span<const double> theta) const {
  const auto size = static_cast<Eigen::Index>(layout_.size());
  std::vector<MatrixXd> sums(num_row_parts(problem_.num_rows()));
  parallel_for(sums.size(), num_threads_, [&](std::size_t part) {
    MixedCurvature curvature(layout_);
    for_each_tile(part, sums.size(), [&](const RowTile& tile) { curvature.add(tile, theta); });
    sums[part] = MatrixXd::Zero(size, size);
    curvature.add_to(sums[part]);
  });
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  return std::move(sums[0]);
}

MatrixXd RoutedObjective::curvature_of_fixed(std::span<const double> theta) const {
  std::vector<double> roots(problem_.num_rows(), 0.0);
  const std::size_t num_parts = num_row_parts(problem_.num_rows());
  parallel_for(num_parts, num_threads_, [&](std::size_t part) {
    for_each_tile(part, num_parts,
                  [&](const RowTile& tile) { write_curvature_roots(tile, layout_, theta, roots); });
  });
  return fixed_curvature(problem_, layout_, routing_, roots, num_threads_);
}

MatrixXd RoutedObjective::curvature(std::span<const double> theta) const {
  const MatrixXd lower =
      routing_.kind == RoutingKind::kFixed ? curvature_of_fixed(theta) : curvature_of_mixed(theta);
  MatrixXd sum = lower.selfadjointView<Eigen::Lower>();
  penalty_.add_curvature(layout_, sum);
  return sum / problem_.rows.total();
}

}  // namespace otss::internal
