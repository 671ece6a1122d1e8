#include "engine/cuda/gauss_newton_sums.hpp"

#include <algorithm>

#include "engine/cuda/gauss_newton_kernel.cuh"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

constexpr std::size_t kMostParameters = 2000;
constexpr int kBlocksPerMultiprocessor = 4;
constexpr std::size_t kBlockEntries = kMatrixBlock * kMatrixBlock;

// Fills both triangles of the matrix from the blocks of the lower one.
std::vector<double> whole_matrix(std::span<const double> blocks, std::size_t size) {
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t row = i / kMatrixBlock, column = j / kMatrixBlock;
      const std::size_t block = row * (row + 1) / 2 + column;
      const double value =
          blocks[block * kBlockEntries + i % kMatrixBlock * kMatrixBlock + j % kMatrixBlock];
      matrix[i * size + j] = value;
      matrix[j * size + i] = value;
    }
  }
  return matrix;
}

}  // namespace

bool can_sum_gauss_newton(std::size_t num_parameters) { return num_parameters <= kMostParameters; }

std::vector<double> sum_gauss_newton(const GpuLog& log, const MixtureLayout& layout,
                                     std::span<const double> theta) {
  const DeviceArray<double> parameters(theta);
  GaussNewtonPass pass{.num_contexts = layout.num_contexts,
                       .num_factors = layout.num_factors,
                       .num_experts = layout.num_experts,
                       .family = log.family.kind(),
                       .storage = log.tiles.storage(),
                       .theta = parameters.data()};
  const int wanted = kBlocksPerMultiprocessor * log.tiles.num_multiprocessors();
  const int num_parts = std::max(1, wanted / pass.num_blocks());
  const SummedBlocks sums(num_parts, pass.num_blocks() * kBlockEntries, log.tiles.stream());
  sums.clear();
  pass.sums = sums.data();
  log.tiles.visit([&](const TilePiece& piece) {
    pass.features = piece.features;
    pass.num_tiles = piece.num_tiles;
    pass.signed_weights = RowValues::from(log.values.signed_weights, piece.first_tile);
    require(launch_gauss_newton(pass, num_parts, log.tiles.stream()),
            "start the Gauss–Newton matrix");
  });
  return whole_matrix(sums.total(), layout.size());
}

}  // namespace otss::internal::cuda
