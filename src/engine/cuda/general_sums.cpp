#include "engine/cuda/general_kernel.cuh"
#include "engine/cuda/pass_sums.hpp"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

class GeneralSums final : public PassSums {
 public:
  GeneralSums(const GpuTiles& tiles, const RowValues& values, const MixtureLayout& layout,
              OutputFamily family, Precision precision)
      : tiles_(tiles),
        values_(values),
        precision_(precision),
        num_blocks_(4 * tiles.num_multiprocessors()),
        sums_(num_blocks_, layout.size() + 1, tiles.stream()),
        theta_(layout.size()),
        pass_{.num_contexts = layout.num_contexts,
              .num_factors = layout.num_factors,
              .num_experts = layout.num_experts,
              .family = family.kind(),
              .theta = theta_.data(),
              .sums = sums_.data()} {}

  void begin(std::span<const double> theta) override {
    require(cudaMemcpyAsync(theta_.data(), theta.data(), theta.size_bytes(), cudaMemcpyHostToDevice,
                            tiles_.stream()),
            "take the parameters");
    sums_.clear();
  }

  void add(const TilePiece& piece) override {
    const std::size_t first_row = piece.first_tile * kTileRows;
    const auto from = [&](const DeviceArray<float>& values) {
      return values.size() == 0 ? nullptr : values.data() + first_row;
    };
    pass_.features = piece.features;
    pass_.num_tiles = piece.num_tiles;
    pass_.signed_weights = from(values_.signed_weights);
    pass_.outcomes = from(values_.outcomes);
    pass_.offsets = from(values_.offsets);
    require(launch_general(pass_, precision_, num_blocks_, tiles_.stream()),
            "start the pass over the rows");
  }

  std::vector<double> end() override { return sums_.total(); }

 private:
  const GpuTiles& tiles_;
  const RowValues& values_;
  Precision precision_;
  int num_blocks_;
  SummedBlocks sums_;
  DeviceArray<double> theta_;
  GeneralPass pass_;
};

}  // namespace

std::unique_ptr<PassSums> make_general_sums(const GpuTiles& tiles, const RowValues& values,
                                            const MixtureLayout& layout, OutputFamily family,
                                            Precision precision) {
  return std::make_unique<GeneralSums>(tiles, values, layout, family, precision);
}

}  // namespace otss::internal::cuda
