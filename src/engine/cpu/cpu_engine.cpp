#include "engine/cpu/cpu_engine.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "data/log/disk/tile_loop.hpp"
#include "engine/cpu/mixture_kernel.hpp"
#include "engine/cpu/reference_kernel.hpp"

namespace otss::internal {
namespace {

// Above this number of chunks, every thread has enough chunks to work on.
constexpr std::size_t kManyChunks = 64;

bool has_fast_kernel(int num_experts, OutputFamily family) {
  return num_experts <= kMaxFastExperts && family != OutputFamily::kPoisson;
}

MixtureKernel find_kernel(Isa isa, Precision precision, int num_experts, bool unit_weights,
                          OutputFamily family) {
  if (!has_fast_kernel(num_experts, family)) return reference_kernel(precision, family);
  const RowLoss logistic = unit_weights ? RowLoss::kLogisticOfUnitWeights : RowLoss::kLogistic;
  const RowLoss loss = family == OutputFamily::kGaussian ? RowLoss::kSquared : logistic;
  return compiled_for(isa, baseline::mixture_kernel, avx2::mixture_kernel, avx512::mixture_kernel)(
      precision, num_experts, loss);
}

struct alignas(64) CacheLine {
  std::byte bytes[64];
};

// Each thread keeps its workspace, so that evaluating a small problem does not allocate memory.
void* thread_workspace(std::size_t bytes) {
  thread_local std::vector<CacheLine> lines;
  const std::size_t needed = bytes / sizeof(CacheLine) + 1;
  if (lines.size() < needed) lines.resize(needed);
  return lines.data();
}

class CpuEngine final : public ChunkedEngine {
 public:
  CpuEngine(const TileMatrix& features, int num_contexts, SignedWeights rows, int num_experts,
            int num_threads, Isa isa, Outcomes outcomes, RowOffsets offsets)
      : features_(features),
        rows_(std::move(rows)),
        outcomes_(std::move(outcomes)),
        offsets_(std::move(offsets)),
        layout_{num_contexts, features.num_columns() - num_contexts, num_experts},
        num_threads_(num_threads),
        single_(
            find_kernel(isa, Precision::kSingle, num_experts, rows_.unit(), outcomes_.family())),
        double_(
            find_kernel(isa, Precision::kDouble, num_experts, rows_.unit(), outcomes_.family())) {
    assert(rows_.num_rows() == features.num_rows());
    for (std::size_t tile = 0; tile < rows_.num_tiles(); ++tile) {
      if (!rows_.tile_is_empty(tile)) tiles_.push_back(static_cast<std::uint32_t>(tile));
    }
    const bool few_chunks = tiles_.size() <= kManyChunks * kTilesPerChunk;
    if (few_chunks && has_fast_kernel(num_experts, outcomes_.family()))
      tiles_per_part_ = kTilesPerFlush;
  }

  const MixtureLayout& layout() const override { return layout_; }
  double total_weight() const override { return rows_.total(); }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision precision) const override {
    assert(theta.size() == layout_.size() && gradient.size() == layout_.size());
    if (const auto loss = loss_if_not_finite(theta, gradient)) return *loss;

    const std::vector<double> total = evaluate_chunks(theta, precision).total();
    if (total.empty()) {
      std::ranges::fill(gradient, 0.0);
      return 0;
    }
    std::copy(total.begin() + 1, total.end(), gradient.begin());
    return total.front();
  }

  ChunkSums evaluate_chunks(std::span<const double> theta, Precision precision) const override {
    count_rows(tiles_.size() * kTileRows);
    const MixtureKernel kernel = precision == Precision::kSingle ? single_ : double_;
    const std::size_t num_parts = (tiles_.size() + tiles_per_part_ - 1) / tiles_per_part_;
    const std::size_t size = 1 + layout_.size();
    std::vector<double> sums(num_parts * size);  // of each part: the loss, then the gradient
    TileLoop loop(features_);
    const bool backwards = features_.file() != nullptr && passes_++ % 2 == 1;
    parallel_for(num_parts, num_threads_, [&](std::size_t index) {
      const std::size_t i = backwards ? num_parts - 1 - index : index;
      void* workspace = thread_workspace(workspace_bytes(layout_.size(), layout_.num_experts));
      double* const of_part = &sums[i * size];
      *of_part = kernel(part(i), theta.data(), of_part + 1, workspace);
      loop.finish(first_tile(i), first_tile(i + 1) - first_tile(i));
    });
    return added_to_chunks(std::move(sums));
  }

 private:
  MixtureChunk part(std::size_t index) const {
    const std::size_t begin = index * tiles_per_part_;
    return {.features = features_.tile(0),
            .signed_weights = rows_.tile(0),
            .tiles = tiles_.data() + begin,
            .num_tiles = std::min(tiles_per_part_, tiles_.size() - begin),
            .num_contexts = layout_.num_contexts,
            .num_factors = layout_.num_factors,
            .num_experts = layout_.num_experts,
            .outcomes = outcomes_.tiles(),
            .offsets = offsets_.tiles()};
  }

  // Returns where a part begins if the parts share all tiles, including those without weight.
  std::size_t first_tile(std::size_t part) const {
    const std::size_t begin = part * tiles_per_part_;
    if (part == 0) return 0;
    return begin < tiles_.size() ? tiles_[begin] : rows_.num_tiles();
  }

  // Adds the sums of the parts to sums of chunks, always in the order of the rows and not in the
  // order in which threads finish.
  ChunkSums added_to_chunks(std::vector<double> parts) const {
    const std::size_t size = 1 + layout_.size();
    const std::size_t parts_per_chunk = kTilesPerChunk / tiles_per_part_;
    if (parts_per_chunk == 1) return {size, std::move(parts)};
    ChunkSums chunks{size, {}};
    for (std::size_t i = 0; i < parts.size() / size; ++i) {
      const double* const part = &parts[i * size];
      if (i % parts_per_chunk == 0) {
        chunks.values.insert(chunks.values.end(), part, part + size);
      } else {
        double* const chunk = chunks.values.data() + chunks.values.size() - size;
        for (std::size_t j = 0; j < size; ++j) chunk[j] += part[j];
      }
    }
    return chunks;
  }

  const TileMatrix& features_;
  SignedWeights rows_;
  Outcomes outcomes_;
  RowOffsets offsets_;
  MixtureLayout layout_;
  int num_threads_;
  MixtureKernel single_, double_;
  std::vector<std::uint32_t> tiles_;  // indices of the tiles that have a row of nonzero weight
  // A task of a thread is a part of a chunk if the log is small, and a whole chunk otherwise. Both
  // give the same bits, because the fast kernels sum the rows of each part separately anyway.
  std::size_t tiles_per_part_ = kTilesPerChunk;
  // Every second pass over tiles in a file begins at the end of the file, because the page cache still has
  // the tiles that the pass before has used last. The sums do not depend on it.
  mutable std::atomic<std::size_t> passes_ = 0;
};

}  // namespace

std::unique_ptr<ChunkedEngine> make_cpu_engine(const TileMatrix& features, int num_contexts,
                                               SignedWeights rows, int num_experts, int num_threads,
                                               Isa isa, Outcomes outcomes, RowOffsets offsets) {
  return std::make_unique<CpuEngine>(features, num_contexts, std::move(rows), num_experts,
                                     num_threads, isa, std::move(outcomes), std::move(offsets));
}

}  // namespace otss::internal
