#include "engine/cuda/cuda_engine.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "base/profile.hpp"
#include "engine/cuda/pass_sums.hpp"

namespace otss::internal {

using cuda::DeviceArray;
using cuda::GpuTiles;
using cuda::PassSums;
using cuda::RowValues;

std::shared_ptr<const GpuTiles> copy_to_gpu(const TileMatrix& features, int num_threads) {
  return std::make_shared<const GpuTiles>(features, cuda::bytes_for_tiles(), num_threads);
}

namespace {

DeviceArray<float> copy_values(const float* tiles, std::size_t count) {
  return tiles == nullptr ? DeviceArray<float>() : DeviceArray<float>(std::span(tiles, count));
}

class CudaEngine final : public Engine {
 public:
  CudaEngine(std::shared_ptr<const GpuTiles> tiles, const MixtureLayout& layout,
             const SignedWeights& rows, const Outcomes& outcomes, const RowOffsets& offsets)
      : tiles_(std::move(tiles)), layout_(layout), total_weight_(rows.total()) {
    const std::size_t padded = rows.num_tiles() * kTileRows;
    values_ = {.signed_weights = copy_values(rows.tile(0), padded),
               .outcomes = copy_values(outcomes.tiles(), padded),
               .offsets = copy_values(offsets.tiles(), padded)};
    if (values_.are_plain()) single_ = cuda::make_unrolled_sums(*tiles_, values_, layout_);
    if (single_ == nullptr)
      single_ = make_general_sums(*tiles_, values_, layout_, outcomes.family(), Precision::kSingle);
    double_ = make_general_sums(*tiles_, values_, layout_, outcomes.family(), Precision::kDouble);
  }

  const MixtureLayout& layout() const override { return layout_; }
  double total_weight() const override { return total_weight_; }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision precision) const override {
    assert(theta.size() == layout_.size() && gradient.size() == layout_.size());
    if (!std::ranges::all_of(theta, [](double value) { return std::isfinite(value); })) {
      std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
      return std::numeric_limits<double>::quiet_NaN();
    }
    count_rows(tiles_->num_tiles() * kTileRows);
    const std::lock_guard lock(one_pass_);
    PassSums& sums = precision == Precision::kSingle ? *single_ : *double_;
    sums.begin(theta);
    tiles_->visit([&](const cuda::TilePiece& piece) { sums.add(piece); });
    const std::vector<double> totals = sums.end();
    std::ranges::copy(std::span(totals).first(gradient.size()), gradient.begin());
    return totals.back();
  }

 private:
  std::shared_ptr<const GpuTiles> tiles_;
  MixtureLayout layout_;
  double total_weight_;
  RowValues values_;
  std::unique_ptr<PassSums> single_, double_;
  mutable std::mutex one_pass_;  // the buffers of PassSums hold one pass
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const GpuTiles> tiles, int num_contexts,
                                         const SignedWeights& rows, int num_experts,
                                         const Outcomes& outcomes, const RowOffsets& offsets) {
  const MixtureLayout layout{num_contexts, tiles->num_columns() - num_contexts, num_experts};
  return std::make_unique<CudaEngine>(std::move(tiles), layout, rows, outcomes, offsets);
}

}  // namespace otss::internal
