#include "engine/cuda/cuda_engine.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "base/profile.hpp"
#include "engine/cuda/device_memory.hpp"
#include "engine/cuda/general_kernel.cuh"
#include "engine/cuda/team_plan.hpp"

namespace otss::internal {

class CudaFeatures {
 public:
  explicit CudaFeatures(const TileMatrix& features)
      : tiles(std::span(features.tile(0), features.num_tiles() * features.tile_size())),
        num_rows(features.num_rows()),
        num_columns(features.num_columns()) {}

  cuda::DeviceArray<float> tiles;
  std::size_t num_rows;
  int num_columns;
};

std::shared_ptr<const CudaFeatures> copy_to_gpu(const TileMatrix& features) {
  return std::make_shared<const CudaFeatures>(features);
}

namespace {

using cuda::require;

int num_multiprocessors() {
  int device = 0, count = 0;
  require(cudaGetDevice(&device), "be found");
  require(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "be asked");
  return count;
}

// What all kernels of an engine read.
struct RowsOnGpu {
  std::shared_ptr<const CudaFeatures> features;
  cuda::DeviceArray<float> signed_weights;
  cuda::DeviceArray<float> outcomes;
  cuda::DeviceArray<float> offsets;
  cuda::DeviceArray<std::uint32_t> tiles;  // those with a row of nonzero weight
};

// Computes the sums of a whole pass: the gradient in the order of MixtureLayout, then the loss.
class Summation {
 public:
  virtual ~Summation() = default;
  virtual std::vector<double> sum(std::span<const double> theta) = 0;
};

class GeneralSummation final : public Summation {
 public:
  GeneralSummation(const RowsOnGpu& rows, const MixtureLayout& layout, OutputFamily family,
                   Precision precision)
      : precision_(precision),
        num_blocks_(2 * num_multiprocessors()),
        theta_(layout.size()),
        sums_(num_blocks_ * (layout.size() + 1)),
        total_(layout.size() + 1) {
    pass_ = {.num_contexts = layout.num_contexts,
             .num_factors = layout.num_factors,
             .num_experts = layout.num_experts,
             .family = family.kind(),
             .features = rows.features->tiles.data(),
             .signed_weights = rows.signed_weights.data(),
             .outcomes = rows.outcomes.data(),
             .offsets = rows.offsets.data(),
             .tiles = rows.tiles.data(),
             .num_tiles = rows.tiles.size(),
             .theta = theta_.data(),
             .sums = sums_.data()};
  }

  std::vector<double> sum(std::span<const double> theta) override {
    std::vector<double> total(total_.size());
    const int size = static_cast<int>(total.size());
    require(cudaMemcpyAsync(theta_.data(), theta.data(), theta.size_bytes(), cudaMemcpyHostToDevice,
                            nullptr),
            "take the parameters");
    require(cuda::launch_general(pass_, precision_, num_blocks_, nullptr),
            "start the pass over the rows");
    require(cuda::launch_add_in_order(sums_.data(), total.size(), num_blocks_, size, total_.data(),
                                      nullptr),
            "add the sums");
    require(cudaMemcpy(total.data(), total_.data(), total.size() * sizeof(double),
                       cudaMemcpyDeviceToHost),
            "finish the pass over the rows");
    return total;
  }

 private:
  Precision precision_;
  int num_blocks_;
  cuda::DeviceArray<double> theta_, sums_, total_;
  cuda::GeneralPass pass_;
};

template <int K>
class FastSummation final : public Summation {
 public:
  FastSummation(const RowsOnGpu& rows, const MixtureLayout& layout, const cuda::TeamPlan& plan)
      : layout_(layout),
        plan_(plan),
        num_blocks_(num_multiprocessors()),
        sums_(static_cast<std::size_t>(num_blocks_) * cuda::kWarps * cuda::kSumsPerWarp<K>),
        totals_(static_cast<std::size_t>(plan.team) * cuda::kSumsPerWarp<K>) {
    pass_.features = rows.features->tiles.data();
    pass_.signed_weights = rows.signed_weights.data();
    pass_.tiles = rows.tiles.data();
    pass_.num_tiles = rows.tiles.size();
    pass_.num_columns = rows.features->num_columns;
    pass_.sums = sums_.data();
    std::ranges::copy(plan.warps, pass_.warps);
  }

  std::vector<double> sum(std::span<const double> theta) override {
    set(theta);
    std::vector<double> totals(totals_.size());
    require(cuda::launch_pass(pass_, plan_.team, num_blocks_, nullptr),
            "start the pass over the rows");
    // The sums of member m of team q are those of warp q * team + m.
    require(cuda::launch_add_in_order(sums_.data(), totals.size(),
                                      num_blocks_ * cuda::kWarps / plan_.team,
                                      static_cast<int>(totals.size()), totals_.data(), nullptr),
            "add the sums");
    require(cudaMemcpy(totals.data(), totals_.data(), totals.size() * sizeof(double),
                       cudaMemcpyDeviceToHost),
            "finish the pass over the rows");
    return gradient_and_loss(totals);
  }

 private:
  void set(std::span<const double> theta) {
    for (int k = 0; k < K; ++k) {
      pass_.constants[k] = static_cast<float>(theta[layout_.gate(k) + layout_.num_contexts]);
      pass_.constants[K + k] = static_cast<float>(theta[layout_.expert(k) + layout_.num_factors]);
    }
    for (int m = 0; m < plan_.team; ++m) {
      cuda::visit_columns(
          layout_, plan_.warps[m], [&](int block, int column, std::size_t at, int step) {
            for (int k = 0; k < K; ++k)
              pass_.coefficients[m][block][column][k] = static_cast<float>(theta[at + k * step]);
          });
    }
  }

  std::vector<double> gradient_and_loss(std::span<const double> totals) const {
    std::vector<double> out(layout_.size() + 1);
    for (int m = 0; m < plan_.team; ++m) {
      const double* const own = totals.data() + m * cuda::kSumsPerWarp<K>;
      cuda::visit_columns(
          layout_, plan_.warps[m], [&](int block, int column, std::size_t at, int step) {
            for (int k = 0; k < K; ++k)
              out[at + k * step] = own[(block * cuda::kBlockColumns + column) * K + k];
          });
    }
    // Every member of a team has the same constants and the same loss.
    const double* const constants = totals.data() + cuda::kBlocks<K> * cuda::kBlockColumns * K;
    for (int k = 0; k < K; ++k) {
      out[layout_.gate(k) + layout_.num_contexts] = constants[k];
      out[layout_.expert(k) + layout_.num_factors] = constants[K + k];
    }
    out.back() = constants[2 * K];
    return out;
  }

  MixtureLayout layout_;
  cuda::TeamPlan plan_;
  int num_blocks_;
  cuda::DeviceArray<double> sums_, totals_;
  cuda::MixturePass<K> pass_{};
};

template <int K = 1>
std::unique_ptr<Summation> make_fast(const RowsOnGpu& rows, const MixtureLayout& layout) {
  if (layout.num_experts == K) {
    const auto plan = cuda::plan_team<K>(layout);
    return plan ? std::make_unique<FastSummation<K>>(rows, layout, *plan) : nullptr;
  }
  if constexpr (K < cuda::kMaxFastExperts)
    return make_fast<K + 1>(rows, layout);
  else
    return nullptr;
}

class CudaEngine final : public Engine {
 public:
  CudaEngine(RowsOnGpu rows, const MixtureLayout& layout, OutputFamily family, double total_weight)
      : rows_(std::move(rows)), layout_(layout), total_weight_(total_weight) {
    if (family == OutputFamily::kBernoulli && rows_.offsets.size() == 0)
      single_ = make_fast(rows_, layout_);
    if (single_ == nullptr)
      single_ = std::make_unique<GeneralSummation>(rows_, layout_, family, Precision::kSingle);
    double_ = std::make_unique<GeneralSummation>(rows_, layout_, family, Precision::kDouble);
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
    count_rows(rows_.tiles.size() * kTileRows);
    const std::lock_guard lock(one_pass_);
    const std::vector<double> sums =
        (precision == Precision::kSingle ? single_ : double_)->sum(theta);
    std::ranges::copy(std::span(sums).first(gradient.size()), gradient.begin());
    return sums.back();
  }

 private:
  RowsOnGpu rows_;
  MixtureLayout layout_;
  double total_weight_;
  std::unique_ptr<Summation> single_, double_;
  mutable std::mutex one_pass_;  // the buffers of a Summation hold one pass
};

cuda::DeviceArray<float> copy_tiles(const float* tiles, std::size_t count) {
  return tiles == nullptr ? cuda::DeviceArray<float>()
                          : cuda::DeviceArray<float>(std::span(tiles, count));
}

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const CudaFeatures> features,
                                         int num_contexts, const SignedWeights& rows,
                                         int num_experts, const Outcomes& outcomes,
                                         const RowOffsets& offsets) {
  std::vector<std::uint32_t> tiles;
  for (std::size_t tile = 0; tile < rows.num_tiles(); ++tile)
    if (!rows.tile_is_empty(tile)) tiles.push_back(static_cast<std::uint32_t>(tile));
  const std::size_t padded = rows.num_tiles() * kTileRows;
  const MixtureLayout layout{num_contexts, features->num_columns - num_contexts, num_experts};
  return std::make_unique<CudaEngine>(
      RowsOnGpu{.features = std::move(features),
                .signed_weights = copy_tiles(rows.tile(0), padded),
                .outcomes = copy_tiles(outcomes.tiles(), padded),
                .offsets = copy_tiles(offsets.tiles(), padded),
                .tiles = cuda::DeviceArray<std::uint32_t>(std::span<const std::uint32_t>(tiles))},
      layout, outcomes.family(), rows.total());
}

}  // namespace otss::internal
