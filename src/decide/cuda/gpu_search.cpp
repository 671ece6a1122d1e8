#include "decide/cuda/gpu_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/cuda/device_memory.hpp"
#include "base/cuda/gpu.hpp"
#include "decide/cuda/search_kernel.cuh"

namespace otss::internal {
namespace {

using cuda::BestThree;
using cuda::BestTwo;
using cuda::DeviceArray;
using cuda::require;

// Contexts are searched in batches, so that their weights and results need little memory.
constexpr std::size_t kContextsAtOnce = std::size_t{1} << 20;
// So many thread blocks per multiprocessor are enough to keep it busy.
constexpr int kBlocksPerMultiprocessor = 4;
constexpr std::size_t kFewestDecisionsPerPart = 256;

class GpuSearch final : public CandidateSearch {
 public:
  GpuSearch(const FeasibleSet& feasible, std::span<const std::size_t> live)
      : live_(live.begin(), live.end()),
        num_factors_(feasible.num_factors()),
        num_multiprocessors_(cuda::find_gpu().gpu.value().num_multiprocessors) {
    const int padded = cuda::padded_factors(static_cast<int>(num_factors_));
    std::vector<float> packed(live_.size() * padded, 0.0F);
    std::vector<double> largest(num_factors_, 0.0);
    for (std::size_t d = 0; d < live_.size(); ++d) {
      for (std::size_t j = 0; j < num_factors_; ++j) {
        const double z = feasible.factors()[live_[d] * num_factors_ + j];
        packed[d * padded + j] = static_cast<float>(z);
        largest[j] = std::max(largest[j], std::abs(z));
      }
    }
    decisions_ = DeviceArray<float>(std::span<const float>(packed));
    largest_ = DeviceArray<double>(std::span<const double>(largest));
  }

  std::vector<TwoCandidates> find(std::size_t rows, std::span<const double> w) const override {
    std::vector<TwoCandidates> found;
    found.reserve(rows);
    for (std::size_t first = 0; first < rows; first += kContextsAtOnce) {
      const std::size_t count = std::min(kContextsAtOnce, rows - first);
      const auto own = w.subspan(first * num_factors_, count * num_factors_);
      for (const BestTwo& two : search(count, own)) found.push_back(candidates(two));
    }
    return found;
  }

 private:
  int num_parts(std::size_t contexts) const {
    const std::size_t blocks = (contexts + cuda::kContextsPerBlock - 1) / cuda::kContextsPerBlock;
    const std::size_t wanted = kBlocksPerMultiprocessor * num_multiprocessors_ / blocks;
    return static_cast<int>(std::clamp<std::size_t>(
        wanted, 1, std::max<std::size_t>(1, live_.size() / kFewestDecisionsPerPart)));
  }

  // Returns the two best decisions of each context, as numbers in live_.
  std::vector<BestTwo> search(std::size_t contexts, std::span<const double> w) const {
    const int parts = num_parts(contexts);
    std::vector<BestTwo> judged(contexts);
    const std::lock_guard lock(one_search_);
    const DeviceArray<double> weights(w);
    const DeviceArray<BestThree> found(parts * contexts);
    const DeviceArray<BestTwo> on_gpu(contexts);
    const cuda::SearchPass pass{.weights = weights.data(),
                                .num_contexts = static_cast<std::uint32_t>(contexts),
                                .decisions = decisions_.data(),
                                .num_decisions = static_cast<std::uint32_t>(live_.size()),
                                .num_factors = static_cast<int>(num_factors_),
                                .num_parts = parts,
                                .found = found.data()};
    require(cuda::launch_search(pass, nullptr), "start the search");
    require(cuda::launch_judge({pass, largest_.data(), on_gpu.data()}, nullptr),
            "judge what the search found");
    require(cudaMemcpy(judged.data(), on_gpu.data(), contexts * sizeof(BestTwo),
                       cudaMemcpyDeviceToHost),
            "finish the search");
    return judged;
  }

  TwoCandidates candidates(const BestTwo& two) const {
    if (two.index[0] == cuda::kOpen) return std::nullopt;
    const auto [first, last] = std::minmax(live_[two.index[0]], live_[two.index[1]]);
    return std::array{first, last};
  }

  std::vector<std::size_t> live_;
  std::size_t num_factors_;
  int num_multiprocessors_;
  DeviceArray<float> decisions_;
  DeviceArray<double> largest_;  // the largest |z_j| of all decisions
  mutable std::mutex one_search_;
};

}  // namespace

std::unique_ptr<const CandidateSearch> make_gpu_search(const FeasibleSet& feasible,
                                                       std::span<const std::size_t> live) {
  if (live.size() < 2 || feasible.num_factors() > cuda::kMostFactors) return nullptr;
  return std::make_unique<const GpuSearch>(feasible, live);
}

}  // namespace otss::internal
