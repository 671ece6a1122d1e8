#include "engine/row_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/row_blocks.hpp"
#include "base/threads.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/gauss_newton.hpp"
#include "engine/group_scores.hpp"
#include "engine/mixture_row.hpp"
#include "model/maps/quadratic.hpp"

namespace otss::internal {

SignedWeights signed_weights_of(const LoggedData& log, OutputFamily family) {
  if (family == OutputFamily::kBernoulli) return SignedWeights(log.outcomes(), log.weights());
  const std::vector<float> no_signs(log.num_rows(), 1.0F);
  return SignedWeights(no_signs, log.weights());
}

TileMatrix quadratic_tiles(const TileMatrix& features, int num_contexts) {
  const auto columns = static_cast<int>(num_quadratic_columns(num_contexts));
  const int num_factors = features.num_columns() - num_contexts;
  TileMatrix expanded(features.num_rows(), columns + num_factors);
  for_row_blocks(features.num_rows(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> x(num_contexts);
    std::vector<double> monomials(columns);
    for (std::size_t i = begin; i < end; ++i) {
      for (int j = 0; j < num_contexts; ++j) x[j] = features.at(i, j);
      quadratic_columns(x, monomials);
      for (int j = 0; j < columns; ++j) expanded.at(i, j) = static_cast<float>(monomials[j]);
      for (int j = 0; j < num_factors; ++j)
        expanded.at(i, columns + j) = features.at(i, num_contexts + j);
    }
  });
  return expanded;
}

RowChunks::RowChunks(const LoggedData& log, const SumTarget& target, int num_threads)
    : features_(std::shared_ptr<void>(), &log.features()),
      num_contexts_(log.num_contexts()),
      rows_(signed_weights_of(log, target.family)),
      outcomes_(target.family, log.outcomes(), target.units),
      num_threads_(num_threads) {
  if (!target.quadratic) return;
  features_ = std::make_shared<const TileMatrix>(quadratic_tiles(log.features(), num_contexts_));
  num_contexts_ = features_->num_columns() - log.num_factors();
}

ChunkSums RowChunks::sums(const SumRequest& request) const {
  switch (request.what) {
    case RowSum::kLossAndGradient: break;
    case RowSum::kGaussNewton: return gauss_newton_chunks(request);
    case RowSum::kPearson: return pearson_chunks(request);
  }
  const int experts = request.layout.num_experts;
  if (engine_ == nullptr || engine_->layout().num_experts != experts)
    engine_ = make_cpu_engine(*features_, num_contexts_, rows_, experts, num_threads_, active_isa(),
                              outcomes_);
  return engine_->evaluate_chunks(request.theta, request.precision);
}

// Is called when the tiles of a chunk have been used.
void RowChunks::finish_chunk(TileLoop& loop, std::size_t chunk) const {
  const std::size_t first = chunk * kTilesPerChunk;
  loop.finish(first, std::min(kTilesPerChunk, rows_.num_tiles() - first));
}

ChunkSums RowChunks::gauss_newton_chunks(const SumRequest& at) const {
  const std::size_t num_chunks = (rows_.num_tiles() + kTilesPerChunk - 1) / kTilesPerChunk;
  ChunkSums sums{at.theta.size() * at.theta.size(), {}};
  sums.values.resize(num_chunks * sums.size);
  TileLoop loop(*features_);
  parallel_for(num_chunks, num_threads_, [&](std::size_t chunk) {
    const std::size_t first = chunk * kTilesPerChunk;
    const Eigen::MatrixXd matrix = gauss_newton_of_tiles(
        *features_, rows_, {first, std::min(first + kTilesPerChunk, rows_.num_tiles())}, at.theta,
        at.layout, outcomes_.family(), at.mixed);
    finish_chunk(loop, chunk);
    std::copy_n(matrix.data(), sums.size, sums.values.data() + chunk * sums.size);
  });
  return sums;
}

ChunkSums RowChunks::pearson_chunks(const SumRequest& at) const {
  const OutputFamily family = outcomes_.family();
  const std::size_t num_chunks = (rows_.num_tiles() + kTilesPerChunk - 1) / kTilesPerChunk;
  ChunkSums sums{1, std::vector<double>(num_chunks)};
  TileLoop loop(*features_);
  parallel_for(num_chunks, num_threads_, [&](std::size_t chunk) {
    MixtureRow row(at.layout, at.theta, at.mixed);
    const std::size_t end = std::min((chunk + 1) * kChunkRows, rows_.num_rows());
    for (std::size_t i = chunk * kChunkRows; i < end; ++i) {
      const double weight = std::abs(rows_[i]);
      if (weight == 0) continue;
      row.evaluate(features_->tile(i / kTileRows) + i % kTileRows);
      const double outcome =
          family == OutputFamily::kBernoulli ? rows_[i] > 0 : static_cast<double>(outcomes_[i]);
      const double error = outcome - family.mean(row.eta());
      sums.values[chunk] += weight * error * error / family.curvature(row.eta());
    }
    finish_chunk(loop, chunk);
  });
  return sums;
}

Eigen::MatrixXd RowChunks::group_scores(const SumRequest& at,
                                        std::span<const std::uint32_t> groups) const {
  const GroupedRows rows{*features_, rows_, groups};
  return group_outer_products(
      rows, at.layout, at.theta,
      loss_slopes(rows, outcomes_, at.layout, at.theta, at.mixed, num_threads_), num_threads_,
      at.mixed);
}

}  // namespace otss::internal
