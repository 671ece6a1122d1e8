#include "engine/cuda/mixture_kernels.hpp"
#include "engine/cuda/pass_layout.hpp"
#include "engine/cuda/pass_sums.hpp"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

class UnrolledSums final : public PassSums {
 public:
  UnrolledSums(const GpuTiles& tiles, const RowValues& values, const MixtureLayout& layout,
               const MixtureKernel& kernel)
      : tiles_(tiles),
        values_(values),
        num_contexts_(layout.num_contexts),
        kernel_(kernel),
        order_(kernel.shape, layout),
        num_blocks_(tiles.num_multiprocessors()),
        sums_(num_blocks_ * kernel.shape.num_teams(), order_.sums_of_team(), tiles.stream()) {}

  void begin(std::span<const double> theta) override {
    constants_ = order_.constants(theta);
    coefficients_ = order_.coefficients(theta);
    sums_.clear();
  }

  void add(const TilePiece& piece) override {
    const PassRows rows{
        .features = piece.features,
        .signed_weights = values_.signed_weights.data() + piece.first_tile * kTileRows,
        .num_tiles = piece.num_tiles,
        .num_contexts = num_contexts_,
        .num_columns = tiles_.num_columns(),
        .sums = sums_.data()};
    require(kernel_.launch(rows, {constants_, coefficients_}, num_blocks_, tiles_.stream()),
            "start the pass over the rows");
  }

  std::vector<double> end() override { return order_.gradient_and_loss(sums_.total()); }

 private:
  const GpuTiles& tiles_;
  const RowValues& values_;
  int num_contexts_;
  const MixtureKernel& kernel_;
  PassLayout order_;
  int num_blocks_;
  SummedBlocks sums_;
  std::vector<float> constants_, coefficients_;
};

}  // namespace

std::unique_ptr<PassSums> make_unrolled_sums(const GpuTiles& tiles, const RowValues& values,
                                             const MixtureLayout& layout) {
  const MixtureKernel* const kernel =
      find_mixture_kernel(layout.num_contexts, layout.num_factors, layout.num_experts);
  if (kernel == nullptr) return nullptr;
  return std::make_unique<UnrolledSums>(tiles, values, layout, *kernel);
}

}  // namespace otss::internal::cuda
