#include "decide/cuda/gpu_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/cuda/device_memory.hpp"
#include "base/cuda/gpu.hpp"
#include "decide/cuda/search_kernel.cuh"

namespace otss::internal {
namespace {

using cuda::BestThree;
using cuda::DeviceArray;
using cuda::require;

// Contexts are searched in batches, so that their weights and results need little memory.
constexpr std::size_t kContextsAtOnce = std::size_t{1} << 20;
// So many thread blocks per multiprocessor are enough to keep it busy.
constexpr int kBlocksPerMultiprocessor = 4;
constexpr std::size_t kFewestDecisionsPerPart = 256;
// Numbers beyond this are left to the processor: their products may be too large for f32.
constexpr double kLargest = 1e18;

// Returns the three best of two lists. In case of a tie the order does not matter, because the exact
// search decides.
BestThree merged(const BestThree& a, const BestThree& b) {
  BestThree out;
  int of_a = 0, of_b = 0;
  for (int i = 0; i < 3; ++i) {
    const bool take_a = a.score[of_a] >= b.score[of_b];
    out.score[i] = take_a ? a.score[of_a] : b.score[of_b];
    out.index[i] = take_a ? a.index[of_a++] : b.index[of_b++];
  }
  return out;
}

class GpuSearch final : public CandidateSearch {
 public:
  GpuSearch(const FeasibleSet& feasible, std::span<const std::size_t> live)
      : live_(live.begin(), live.end()),
        num_factors_(feasible.num_factors()),
        largest_(num_factors_, 0.0),
        num_multiprocessors_(cuda::find_gpu().gpu.value().num_multiprocessors) {
    const int padded = cuda::padded_factors(static_cast<int>(num_factors_));
    std::vector<float> packed(live_.size() * padded, 0.0F);
    for (std::size_t d = 0; d < live_.size(); ++d) {
      for (std::size_t j = 0; j < num_factors_; ++j) {
        const double z = feasible.factors()[live_[d] * num_factors_ + j];
        packed[d * padded + j] = static_cast<float>(z);
        largest_[j] = std::max(largest_[j], std::abs(z));
      }
    }
    decisions_ = DeviceArray<float>(std::span<const float>(packed));
  }

  std::vector<TwoCandidates> find(std::size_t rows, std::span<const double> w) const override {
    std::vector<TwoCandidates> found;
    found.reserve(rows);
    for (std::size_t first = 0; first < rows; first += kContextsAtOnce) {
      const std::size_t count = std::min(kContextsAtOnce, rows - first);
      const auto own = w.subspan(first * num_factors_, count * num_factors_);
      const std::vector<BestThree> best = search(count, own);
      for (std::size_t i = 0; i < count; ++i)
        found.push_back(certain(best[i], own.subspan(i * num_factors_, num_factors_)));
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

  // Returns the three best decisions of each context in f32, as numbers in live_.
  std::vector<BestThree> search(std::size_t contexts, std::span<const double> w) const {
    std::vector<float> weights(w.size());
    for (std::size_t i = 0; i < contexts; ++i) {
      for (std::size_t j = 0; j < num_factors_; ++j)
        weights[j * contexts + i] = static_cast<float>(w[i * num_factors_ + j]);
    }
    const int parts = num_parts(contexts);
    std::vector<BestThree> found(parts * contexts);
    {
      const std::lock_guard lock(one_search_);
      const DeviceArray<float> on_gpu(std::span<const float>{weights});
      const DeviceArray<BestThree> results(found.size());
      require(cuda::launch_search({.weights = on_gpu.data(),
                                   .num_contexts = static_cast<std::uint32_t>(contexts),
                                   .decisions = decisions_.data(),
                                   .num_decisions = static_cast<std::uint32_t>(live_.size()),
                                   .num_factors = static_cast<int>(num_factors_),
                                   .num_parts = parts,
                                   .found = results.data()},
                                  nullptr),
              "start the search");
      require(cudaMemcpy(found.data(), results.data(), found.size() * sizeof(BestThree),
                         cudaMemcpyDeviceToHost),
              "finish the search");
    }
    for (int part = 1; part < parts; ++part) {
      for (std::size_t i = 0; i < contexts; ++i)
        found[i] = merged(found[i], found[part * contexts + i]);
    }
    found.resize(contexts);
    return found;
  }

  // Returns how far a score in f32 can be from the exact one: (J + 2) 2⁻²⁴ Σ |w_j z_j|, and a little
  // for terms of higher order and for numbers so small that the GPU takes them for 0. Returns infinity
  // if a number is too large.
  double error_of_score(std::span<const double> w) const {
    constexpr double kRounding = std::numeric_limits<float>::epsilon() / 2;
    constexpr double kVanishing = std::numeric_limits<float>::min();
    double error = 0;
    for (std::size_t j = 0; j < num_factors_; ++j) {
      const double size = std::abs(w[j]);
      if (!(size < kLargest && largest_[j] < kLargest))
        return std::numeric_limits<double>::infinity();
      error += static_cast<double>(num_factors_ + 3) * kRounding * size * largest_[j] +
               kVanishing * (size + largest_[j] + 2);
    }
    return error;
  }

  // Returns the two best decisions if no rounding can have exchanged them with others.
  TwoCandidates certain(const BestThree& best, std::span<const double> w) const {
    const double to_third = static_cast<double>(best.score[1]) - best.score[2];
    if (!(to_third > 2 * error_of_score(w))) return std::nullopt;
    const auto [first, last] = std::minmax(live_[best.index[0]], live_[best.index[1]]);
    return std::array{first, last};
  }

  std::vector<std::size_t> live_;
  std::size_t num_factors_;
  std::vector<double> largest_;  // the largest |z_j| of all decisions
  int num_multiprocessors_;
  DeviceArray<float> decisions_;
  mutable std::mutex one_search_;
};

}  // namespace

std::unique_ptr<const CandidateSearch> make_gpu_search(const FeasibleSet& feasible,
                                                       std::span<const std::size_t> live) {
  if (live.size() < 2 || feasible.num_factors() > cuda::kMostFactors) return nullptr;
  return std::make_unique<const GpuSearch>(feasible, live);
}

}  // namespace otss::internal
