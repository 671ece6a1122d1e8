#include "engine/cuda/mixture_kernels.hpp"
#include "engine/cuda/pass_layout.hpp"
#include "engine/cuda/pass_sums.hpp"
#include "engine/cuda/summed_blocks.hpp"

namespace otss::internal::cuda {
namespace {

class UnrolledSums final : public PassSums {
 public:
  UnrolledSums(const GpuLog& log, const MixtureKernel& kernel)
      : log_(log),
        kernel_(kernel),
        order_(kernel.shape, log.layout(kernel.shape.experts)),
        num_blocks_(log.tiles.num_multiprocessors()),
        sums_(num_blocks_ * kernel.shape.num_teams(), order_.sums_of_team(), log.tiles.stream()) {}

  void begin(std::span<const double> theta) override {
    constants_ = order_.constants(theta);
    coefficients_ = order_.coefficients(theta);
    sums_.clear();
  }

  void add(const TilePiece& piece) override {
    const PassRows rows{
        .features = static_cast<const float*>(piece.features),
        .signed_weights = RowValues::from(log_.values.signed_weights, piece.first_tile),
        .num_tiles = piece.num_tiles,
        .num_contexts = log_.num_contexts,
        .num_columns = log_.tiles.num_columns(),
        .sums = sums_.data()};
    require(kernel_.launch(rows, {constants_, coefficients_}, num_blocks_, log_.tiles.stream()),
            "start the pass over the rows");
  }

  std::vector<double> end() override { return order_.gradient_and_loss(sums_.total()); }

 private:
  const GpuLog& log_;
  const MixtureKernel& kernel_;
  PassLayout order_;
  int num_blocks_;
  SummedBlocks sums_;
  std::vector<double> constants_, coefficients_;
};

}  // namespace

std::unique_ptr<PassSums> make_unrolled_sums(const GpuLog& log, int num_experts,
                                             Precision precision) {
  const MixtureKernel* const kernel = find_mixture_kernel(log.layout(num_experts), precision);
  if (kernel == nullptr || !log.is_plain() || log.tiles.storage() != Storage::kSingle)
    return nullptr;
  return std::make_unique<UnrolledSums>(log, *kernel);
}

}  // namespace otss::internal::cuda
