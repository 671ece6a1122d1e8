#include "engine/cuda/general_kernel.cuh"
#include "engine/cuda/pass_sums.hpp"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

class GeneralSums final : public PassSums {
 public:
  GeneralSums(const GpuLog& log, const MixtureLayout& layout, Precision precision)
      : log_(log),
        precision_(precision),
        num_blocks_(4 * log.tiles.num_multiprocessors()),
        sums_(num_blocks_, layout.size() + 1, log.tiles.stream()),
        theta_(layout.size()),
        pass_{.num_contexts = layout.num_contexts,
              .num_factors = layout.num_factors,
              .num_experts = layout.num_experts,
              .family = log.family.kind(),
              .storage = log.tiles.storage(),
              .theta = theta_.data(),
              .sums = sums_.data()} {}

  void begin(std::span<const double> theta) override {
    require(cudaMemcpyAsync(theta_.data(), theta.data(), theta.size_bytes(), cudaMemcpyHostToDevice,
                            log_.tiles.stream()),
            "take the parameters");
    sums_.clear();
  }

  void add(const TilePiece& piece) override {
    pass_.features = piece.features;
    pass_.num_tiles = piece.num_tiles;
    pass_.signed_weights = RowValues::from(log_.values.signed_weights, piece.first_tile);
    pass_.outcomes = RowValues::from(log_.values.outcomes, piece.first_tile);
    pass_.offsets = RowValues::from(log_.values.offsets, piece.first_tile);
    require(launch_general(pass_, precision_, num_blocks_, log_.tiles.stream()),
            "start the pass over the rows");
  }

  std::vector<double> end() override { return sums_.total(); }

 private:
  const GpuLog& log_;
  Precision precision_;
  int num_blocks_;
  SummedBlocks sums_;
  DeviceArray<double> theta_;
  GeneralPass pass_;
};

}  // namespace

std::unique_ptr<PassSums> make_general_sums(const GpuLog& log, int num_experts,
                                            Precision precision) {
  return std::make_unique<GeneralSums>(log, log.layout(num_experts), precision);
}

}  // namespace otss::internal::cuda
