#include "engine/cuda/cuda_engine.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <vector>

#include "base/profile.hpp"
#include "engine/cuda/pass_sums.hpp"

namespace otss::internal {
namespace {

using cuda::GpuLog;
using cuda::PassSums;

std::unique_ptr<PassSums> fastest_sums(const GpuLog& log, int num_experts, Precision precision) {
  if (auto sums = cuda::make_unrolled_sums(log, num_experts, precision)) return sums;
  if (auto sums = cuda::make_half_sums(log, num_experts)) return sums;
  return cuda::make_general_sums(log, num_experts, precision);
}

class CudaEngine final : public Engine {
 public:
  CudaEngine(std::shared_ptr<const GpuLog> log, int num_experts)
      : log_(std::move(log)), layout_(log_->layout(num_experts)) {
    single_ = fastest_sums(*log_, num_experts, Precision::kSingle);
    double_ = fastest_sums(*log_, num_experts, Precision::kDouble);
  }

  const MixtureLayout& layout() const override { return layout_; }
  double total_weight() const override { return log_->total_weight; }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision precision) const override {
    assert(theta.size() == layout_.size() && gradient.size() == layout_.size());
    if (const auto loss = loss_if_not_finite(theta, gradient)) return *loss;
    count_rows(log_->tiles.num_tiles() * kTileRows);
    const std::lock_guard lock(one_pass_);
    PassSums& sums = precision == Precision::kSingle ? *single_ : *double_;
    sums.begin(theta);
    log_->tiles.visit([&](const cuda::TilePiece& piece) { sums.add(piece); });
    const std::vector<double> totals = sums.end();
    std::ranges::copy(std::span(totals).first(gradient.size()), gradient.begin());
    return totals.back();
  }

 private:
  std::shared_ptr<const GpuLog> log_;
  MixtureLayout layout_;
  std::unique_ptr<PassSums> single_, double_;
  mutable std::mutex one_pass_;  // the buffers of PassSums hold one pass
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const cuda::GpuLog> log, int num_experts) {
  return std::make_unique<CudaEngine>(std::move(log), num_experts);
}

}  // namespace otss::internal
