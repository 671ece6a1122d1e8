#include "learn/probabilities/mixed_rows.hpp"

#include "learn/problem/tile_products.hpp"

namespace otss::internal {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

RoutedTile routed(const RowTile& tile, RowFunctions& functions) {
  return {static_cast<std::size_t>(functions.experts.cols()), tile.signed_weights(),
          functions.contexts.data(), functions.experts.data()};
}

RowFunctions all_functions(const RowTile& tile, const MixtureLayout& layout,
                           std::span<const double> theta) {
  return row_functions(tile, layout, layout.num_experts, theta);
}

}  // namespace

const RoutedKernel& routed_kernel(Isa isa) {
  return compiled_for(isa, baseline::kRoutedKernel, avx2::kRoutedKernel, avx512::kRoutedKernel);
}

double add_mixed_gradient(const RowTile& tile, const MixtureLayout& layout,
                          std::span<const double> theta, std::span<double> gradient) {
  RowFunctions functions = all_functions(tile, layout, theta);
  const double loss = routed_kernel(active_isa()).slopes(routed(tile, functions));
  add_to_gradient(tile, layout, functions, gradient);
  return loss;
}

MixedCurvature::MixedCurvature(const MixtureLayout& layout)
    : layout_(layout),
      baseline_(Block::Zero(layout.num_contexts + 1, layout.num_contexts + 1)),
      experts_(layout.num_experts, Block::Zero(layout.num_factors + 1, layout.num_factors + 1)),
      experts_and_baseline_(layout.num_experts,
                            Block::Zero(layout.num_factors + 1, layout.num_contexts + 1)),
      gates_(layout.num_experts * (layout.num_experts - 1) / 2, baseline_) {}

void MixedCurvature::add(const RowTile& tile, std::span<const double> theta) {
  RowFunctions values = all_functions(tile, layout_, theta);
  routed_kernel(active_isa()).curvatures(routed(tile, values));
  const Index last = layout_.num_experts - 1;
  add_products(values.contexts.col(last).asDiagonal() * tile.contexts(), tile.contexts(),
               baseline_.data());
  for (Index k = 0; k <= last; ++k) {
    const MatrixXd weighted = values.experts.col(k).asDiagonal() * tile.factors();
    add_products(weighted, tile.factors(), experts_[k].data());
    add_products(weighted, tile.contexts(), experts_and_baseline_[k].data());
  }
  add_gates(tile, values.contexts.leftCols(last));
}

void MixedCurvature::add_gates(const RowTile& tile, const Eigen::ArrayXXd& shares) {
  const Eigen::Map<const Eigen::ArrayXf> signed_weights(tile.signed_weights(), kTileRows);
  const ArrayXd weight = signed_weights.abs().cast<double>();
  auto gate = gates_.begin();
  for (Index k = 0; k < shares.cols(); ++k) {
    for (Index l = 0; l <= k; ++l, ++gate) {
      const VectorXd covariance = weight * shares.col(k) * ((k == l ? 1.0 : 0.0) - shares.col(l));
      add_products(covariance.asDiagonal() * tile.contexts(), tile.contexts(), gate->data());
    }
  }
}

void MixedCurvature::add_to(MatrixXd& matrix) {
  const auto add = [&](std::size_t row, std::size_t column, const Block& block) {
    matrix.block(static_cast<Index>(row), static_cast<Index>(column), block.rows(), block.cols()) +=
        block;
  };
  add(layout_.baseline(), layout_.baseline(), baseline_);
  for (int k = 0; k < layout_.num_experts; ++k) {
    add(layout_.expert(k), layout_.expert(k), experts_[k]);
    add(layout_.expert(k), layout_.baseline(), experts_and_baseline_[k]);
  }
  auto gate = gates_.begin();
  for (int k = 0; k + 1 < layout_.num_experts; ++k) {
    for (int l = 0; l <= k; ++l) add(layout_.gate(k), layout_.gate(l), *gate++);
  }
}

}  // namespace otss::internal
