#include "learn/probabilities/row_tile.hpp"

#include <algorithm>

#include "learn/problem/tile_products.hpp"

namespace otss::internal {

using Eigen::MatrixXd;

RowTile::RowTile(const Problem& problem, const MixtureLayout& layout, const Routing& routing)
    : problem_(problem),
      routing_(routing),
      contexts_(MatrixXd::Ones(kTileRows, layout.num_contexts + 1)),
      factors_(MatrixXd::Ones(kTileRows, layout.num_factors + 1)) {}

void RowTile::read(std::size_t tile) {
  const float* const columns = problem_.features->tile(tile);
  widen(columns, problem_.num_contexts, contexts_);
  widen(columns + problem_.num_contexts * kTileRows, problem_.num_factors(), factors_);
  signed_weights_ = problem_.rows.tile(tile);
  first_row_ = tile * kTileRows;
  num_rows_ = std::min(kTileRows, problem_.num_rows() - first_row_);
}

RowFunctions row_functions(const RowTile& tile, const MixtureLayout& layout, std::size_t count,
                           std::span<const double> theta) {
  const std::size_t width = tile.contexts().cols();
  const std::size_t height = tile.factors().cols();
  const double* const of_experts = theta.data() + layout.expert(0);
  return {linear_functions(tile.contexts(), {count, of_experts - count * width, width, 1}),
          linear_functions(tile.factors(),
                           {static_cast<std::size_t>(layout.num_experts), of_experts, height, 1})};
}

void add_to_gradient(const RowTile& tile, const MixtureLayout& layout, const RowFunctions& slopes,
                     std::span<double> gradient) {
  double* const of_experts = gradient.data() + layout.expert(0);
  add_products(slopes.contexts, tile.contexts(),
               of_experts - slopes.contexts.cols() * tile.contexts().cols());
  add_products(slopes.experts, tile.factors(), of_experts);
}

}  // namespace otss::internal
