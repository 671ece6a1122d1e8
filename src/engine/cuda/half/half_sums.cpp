#include <algorithm>
#include <cmath>

#include "engine/cuda/half/half_kernels.hpp"
#include "engine/cuda/half/half_layout.hpp"
#include "engine/cuda/pass_sums.hpp"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

class HalfKernelSums final : public PassSums {
 public:
  HalfKernelSums(const GpuLog& log, const HalfKernel& kernel)
      : log_(log),
        kernel_(kernel),
        order_(kernel.shape, log.layout(kernel.shape.experts)),
        num_blocks_(log.tiles.num_multiprocessors()),
        weight_scale_(scale_for(log.largest_weight)),
        sums_(num_blocks_ * kernel.shape.warps, kernel.shape.sums_of_warp(), log.tiles.stream()) {}

  void begin(std::span<const double> theta) override {
    constants_ = order_.constants(theta);
    coefficients_ = order_.coefficients(theta);
    sums_.clear();
  }

  void add(const TilePiece& piece) override {
    const HalfPassRows rows{
        .features = piece.features,
        .signed_weights = RowValues::from(log_.values.signed_weights, piece.first_tile),
        .num_tiles = piece.num_tiles,
        .num_columns = log_.tiles.num_columns(),
        .weight_scale = weight_scale_,
        .sums = sums_.data()};
    require(kernel_.launch(rows, {constants_, coefficients_}, num_blocks_, log_.tiles.stream()),
            "start the pass over the rows");
  }

  std::vector<double> end() override {
    std::vector<double> out = order_.gradient_and_loss(sums_.total());
    for (double& sum : out) sum /= weight_scale_;
    return out;
  }

 private:
  // Returns the power of two that brings the largest weight to between 1 and 2, so that derivatives
  // neither exceed f16 nor vanish in it.
  static float scale_for(float largest_weight) {
    return largest_weight > 0 ? std::exp2(-std::floor(std::log2(largest_weight))) : 1.0F;
  }

  const GpuLog& log_;
  const HalfKernel& kernel_;
  HalfLayout order_;
  int num_blocks_;
  float weight_scale_;
  SummedBlocks sums_;
  std::vector<double> constants_, coefficients_;
};

}  // namespace

std::unique_ptr<PassSums> make_half_sums(const GpuLog& log, int num_experts) {
  if (log.tiles.storage() != Storage::kHalf || !log.is_plain()) return nullptr;
  const HalfKernel* const kernel = find_half_kernel(log.layout(num_experts));
  return kernel == nullptr ? nullptr : std::make_unique<HalfKernelSums>(log, *kernel);
}

}  // namespace otss::internal::cuda
