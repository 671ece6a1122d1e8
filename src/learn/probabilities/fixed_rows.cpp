#include "learn/probabilities/fixed_rows.hpp"

#include <cmath>

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

FixedCurvature::FixedCurvature(const MixtureLayout& layout)
    : layout_(layout),
      sums_(layout.num_experts, OuterProducts(layout.num_factors + 1 + layout.num_contexts + 1)) {}

void FixedCurvature::add(const RowTile& tile, std::span<const double> theta) {
  const VectorXd slopes = fixed_slopes(tile, layout_, theta).of_row;
  const Index height = tile.factors().cols();
  for (std::size_t i = 0; i < tile.num_rows(); ++i) {
    const auto row = static_cast<Index>(i);
    if (tile.weight(i) == 0) continue;
    // The slope of a row is its weight times the probability of the outcome that it does not have.
    const double miss = std::abs(slopes[row]) / tile.weight(i);
    const double scale = std::sqrt(tile.weight(i) * miss * (1 - miss));
    const std::span<double> vector = sums_[tile.expert(i)].next();
    Eigen::Map<Eigen::RowVectorXd> products(vector.data(), static_cast<Index>(vector.size()));
    products.head(height) = scale * tile.factors().row(row);
    products.tail(vector.size() - height) = scale * tile.contexts().row(row);
  }
}

void FixedCurvature::add_to(MatrixXd& matrix) {
  const Index size = layout_.num_factors + 1;
  const Index p = layout_.num_contexts + 1;
  const auto baseline = static_cast<Index>(layout_.baseline());
  for (int k = 0; k < layout_.num_experts; ++k) {
    const MatrixXd sum = sums_[k].sum();
    const auto expert = static_cast<Index>(layout_.expert(k));
    matrix.block(expert, expert, size, size) += sum.topLeftCorner(size, size);
    matrix.block(expert, baseline, size, p) += sum.topRightCorner(size, p);
    matrix.block(baseline, baseline, p, p) += sum.bottomRightCorner(p, p);
  }
}

}  // namespace otss::internal
