#include "learn/problem/tile_products.hpp"

#include "data/log/tile_matrix.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {
namespace {

const ContextualKernel& kernel() { return contextual_kernel(active_isa()); }

TileColumns columns_of(const Eigen::MatrixXd& tile) {
  eigen_assert(tile.rows() == kTileRows);
  return {static_cast<std::size_t>(tile.cols()), tile.data()};
}

}  // namespace

const ContextualKernel& contextual_kernel(Isa isa) {
  return compiled_for(isa, baseline::kContextualKernel, avx2::kContextualKernel,
                      avx512::kContextualKernel);
}

void widen(const float* columns, Eigen::Index count, Eigen::MatrixXd& to) {
  eigen_assert(to.rows() == kTileRows && count <= to.cols());
  kernel().widen(count, columns, to.data());
}

Eigen::MatrixXd linear_functions(const Eigen::MatrixXd& tile, const FunctionMatrix& functions) {
  Eigen::MatrixXd values(kTileRows, functions.num_functions);
  kernel().linear(columns_of(tile), functions, values.data());
  return values;
}

void add_products(const Eigen::MatrixXd& values, const Eigen::MatrixXd& tile, double* sums) {
  const auto lanes = static_cast<std::size_t>(8 * values.cols() * tile.cols());
  kernel().add_products(columns_of(tile), columns_of(values), sums, thread_scratch(lanes));
}

void replace_by_tanh(Eigen::MatrixXd& tile) { kernel().tanh(tile.cols(), tile.data()); }

double replace_by_slopes(const float* signed_weights, Eigen::VectorXd& eta) {
  return kernel().losses(signed_weights, eta.data(), eta.data());
}

}  // namespace otss::internal
