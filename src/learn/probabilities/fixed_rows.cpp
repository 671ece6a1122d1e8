#include "learn/probabilities/fixed_rows.hpp"

#include <cmath>
#include <vector>

#include "base/threads.hpp"
#include "engine/outer_products.hpp"
#include "learn/problem/tile_products.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct FixedSlopes {
  double loss;
  VectorXd
      of_row;  // derivative of the loss with respect to the linear predictor of the row's expert
};

FixedSlopes fixed_slopes(const RowTile& tile, const MixtureLayout& layout,
                         std::span<const double> theta) {
  const RowFunctions functions = row_functions(tile, layout, 1, theta);
  FixedSlopes slopes{0, functions.contexts.col(0)};
  for (std::size_t i = 0; i < tile.num_rows(); ++i)
    slopes.of_row[static_cast<Index>(i)] +=
        functions.experts(static_cast<Index>(i), tile.expert(i));
  slopes.loss = replace_by_slopes(tile.signed_weights(), slopes.of_row);
  return slopes;
}

// Returns the sum of the products of all [x, 1, z, 1] of the rows of one expert, each times the square
// of the row's root, which is its curvature.
MatrixXd products_of_expert(const Problem& problem, const Routing& routing,
                            std::span<const double> roots, std::size_t expert) {
  const auto p = static_cast<std::size_t>(problem.num_contexts);
  const auto num_factors = static_cast<std::size_t>(problem.num_factors());
  OuterProducts sum(p + 1 + num_factors + 1);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (routing.expert_of_row[i] != expert || roots[i] == 0) continue;
    const float* const columns = problem.features->tile(i / kTileRows) + i % kTileRows;
    const std::span<double> vector = sum.next();
    for (std::size_t j = 0; j < p; ++j) vector[j] = roots[i] * columns[j * kTileRows];
    vector[p] = roots[i];
    for (std::size_t j = 0; j < num_factors; ++j)
      vector[p + 1 + j] = roots[i] * columns[(p + j) * kTileRows];
    vector.back() = roots[i];
  }
  return sum.sum();
}

}  // namespace

double add_fixed_gradient(const RowTile& tile, const MixtureLayout& layout,
                          std::span<const double> theta, std::span<double> gradient) {
  const FixedSlopes slopes = fixed_slopes(tile, layout, theta);
  RowFunctions by_function{slopes.of_row, MatrixXd::Zero(kTileRows, layout.num_experts)};
  for (std::size_t i = 0; i < tile.num_rows(); ++i) {
    const auto row = static_cast<Index>(i);
    by_function.experts(row, tile.expert(i)) = slopes.of_row[row];
  }
  add_to_gradient(tile, layout, by_function, gradient);
  return slopes.loss;
}

void write_curvature_roots(const RowTile& tile, const MixtureLayout& layout,
                           std::span<const double> theta, std::span<double> roots) {
  const VectorXd slopes = fixed_slopes(tile, layout, theta).of_row;
  for (std::size_t i = 0; i < tile.num_rows(); ++i) {
    const double weight = tile.weight(i);
    // The slope of a row is its weight times the probability of the outcome that it does not have.
    const double miss = weight > 0 ? std::abs(slopes[static_cast<Index>(i)]) / weight : 0;
    roots[tile.first_row() + i] = std::sqrt(weight * miss * (1 - miss));
  }
}

MatrixXd fixed_curvature(const Problem& problem, const MixtureLayout& layout,
                         const Routing& routing, std::span<const double> roots, int num_threads) {
  std::vector<MatrixXd> products(layout.num_experts);
  parallel_for(products.size(), num_threads, [&](std::size_t expert) {
    products[expert] = products_of_expert(problem, routing, roots, expert);
  });
  const Index size = layout.num_factors + 1;
  const Index p = layout.num_contexts + 1;
  const auto total = static_cast<Index>(layout.size());
  const auto baseline = static_cast<Index>(layout.baseline());
  MatrixXd sum = MatrixXd::Zero(total, total);
  for (int k = 0; k < layout.num_experts; ++k) {
    const auto expert = static_cast<Index>(layout.expert(k));
    sum.block(expert, expert, size, size) = products[k].bottomRightCorner(size, size);
    sum.block(expert, baseline, size, p) = products[k].bottomLeftCorner(size, p);
    sum.block(baseline, baseline, p, p) += products[k].topLeftCorner(p, p);
  }
  return sum;
}

}  // namespace otss::internal
