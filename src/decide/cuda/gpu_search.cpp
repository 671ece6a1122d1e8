#include "decide/cuda/gpu_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/cuda/gpu.hpp"
#include "base/cuda/pinned_array.hpp"
#include "base/cuda/stream.hpp"
#include "base/threads.hpp"
#include "decide/cuda/search_kernel.cuh"

namespace otss::internal {
namespace {

using cuda::BestScores;
using cuda::BestThree;
using cuda::DeviceArray;
using cuda::PackedPairs;
using cuda::PinnedArray;
using cuda::require;

// Contexts are searched in batches. While the GPU searches for one batch, the host prepares the next.
constexpr std::size_t kContextsAtOnce = std::size_t{1} << 17;
constexpr std::size_t kContextsPerTask = 2048;  // of the host's threads
constexpr std::size_t kFewestDecisionsPerPart = 1024;

// A library on the card.
struct LibraryOnGpu {
  LibraryOnGpu(const FeasibleSet& feasible, std::span<const std::size_t> live)
      : num_decisions(static_cast<std::uint32_t>(live.size())),
        num_factors(static_cast<int>(feasible.num_factors())),
        packed(cuda::packed_size(num_decisions, num_factors)) {
    const std::size_t J = feasible.num_factors();
    std::vector<float> rounded(live.size() * J);
    std::vector<double> most(J, 0.0);
    for (std::size_t d = 0; d < live.size(); ++d) {
      for (std::size_t j = 0; j < J; ++j) {
        const double z = feasible.factors()[live[d] * J + j];
        rounded[d * J + j] = static_cast<float>(z);
        most[j] = std::max(most[j], std::abs(z));
      }
    }
    largest = DeviceArray<double>(std::span<const double>(most));
    const DeviceArray<float> decisions{std::span<const float>(rounded)};
    require(
        cuda::launch_pack({decisions.data(), num_decisions, num_factors, packed.data()}, nullptr),
        "pack the library");
    require(cudaStreamSynchronize(nullptr), "pack the library");
  }

  std::uint32_t num_decisions;
  int num_factors;
  DeviceArray<PackedPairs> packed;
  DeviceArray<double> largest;  // the largest |z_j| of all decisions
};

int num_parts(const LibraryOnGpu& library, std::size_t contexts, int num_multiprocessors) {
  const std::size_t per_block = cuda::contexts_per_block(library.num_factors);
  const std::size_t blocks = (contexts + per_block - 1) / per_block;
  const std::size_t wanted = cuda::kSearchBlocksAtOnce * num_multiprocessors / blocks;
  return static_cast<int>(std::clamp<std::size_t>(
      wanted, 1, std::max<std::size_t>(1, library.num_decisions / kFewestDecisionsPerPart)));
}

// Calls body(first context, number of contexts) on several threads.
void for_each_task(std::size_t contexts, int num_threads,
                   const std::function<void(std::size_t, std::size_t)>& body) {
  parallel_for((contexts + kContextsPerTask - 1) / kContextsPerTask, num_threads,
               [&](std::size_t task) {
                 const std::size_t first = task * kContextsPerTask;
                 body(first, std::min(kContextsPerTask, contexts - first));
               });
}

// The search of one batch of contexts, which runs in the background.
class BatchSearch {
 public:
  BatchSearch(const LibraryOnGpu& library, std::size_t most_contexts)
      : library_(library),
        num_multiprocessors_(cuda::find_gpu().gpu.value().num_multiprocessors),
        rounded_(most_contexts * library.num_factors),
        judged_(most_contexts),
        weights_(rounded_.size()),
        judged_on_gpu_(most_contexts) {}

  void start(std::span<const double> w, int num_threads) {
    contexts_ = w.size() / library_.num_factors;
    for_each_task(contexts_, num_threads, [&](std::size_t first, std::size_t count) {
      const std::size_t J = library_.num_factors;
      std::ranges::transform(w.subspan(first * J, count * J), rounded_.data() + first * J,
                             [](double value) { return static_cast<float>(value); });
    });
    const int parts = num_parts(library_, contexts_, num_multiprocessors_);
    if (found_.size() < parts * contexts_) found_ = DeviceArray<BestScores>(parts * contexts_);
    require(cudaMemcpyAsync(weights_.data(), rounded_.data(), w.size() * sizeof(float),
                            cudaMemcpyHostToDevice, stream_),
            "take a copy of the weights");
    const cuda::SearchPass pass{.weights = weights_.data(),
                                .num_contexts = static_cast<std::uint32_t>(contexts_),
                                .packed = library_.packed.data(),
                                .num_decisions = library_.num_decisions,
                                .num_factors = library_.num_factors,
                                .num_parts = parts,
                                .found = found_.data()};
    require(cuda::launch_search(pass, stream_), "start the search");
    require(cuda::launch_judge({pass, library_.largest.data(), judged_on_gpu_.data()}, stream_),
            "judge what the search found");
    require(cudaMemcpyAsync(judged_.data(), judged_on_gpu_.data(), contexts_ * sizeof(BestThree),
                            cudaMemcpyDeviceToHost, stream_),
            "return what the search found");
  }

  // Returns the candidates of each context, once the GPU has found them.
  std::span<const BestThree> finish() {
    require(cudaStreamSynchronize(stream_), "finish the search");
    return {judged_.data(), contexts_};
  }

 private:
  const LibraryOnGpu& library_;
  int num_multiprocessors_;
  std::size_t contexts_ = 0;
  PinnedArray<float> rounded_;
  PinnedArray<BestThree> judged_;
  DeviceArray<float> weights_;
  DeviceArray<BestScores> found_;
  DeviceArray<BestThree> judged_on_gpu_;
  cuda::Stream stream_;
};

class GpuSearch final : public CandidateSearch {
 public:
  GpuSearch(const FeasibleSet& feasible, std::span<const std::size_t> live)
      : live_(live.begin(), live.end()), library_(feasible, live) {}

  void find(std::span<const double> w, int num_threads, const TakeCandidates& take) const override {
    const std::size_t contexts = w.size() / library_.num_factors;
    if (contexts == 0) return;
    const std::lock_guard lock(one_search_);
    prepare(std::min(contexts, kContextsAtOnce));
    const std::size_t most_numbers = kContextsAtOnce * library_.num_factors;
    for (std::size_t first = 0; first < contexts; first += kContextsAtOnce) {
      const auto rest = w.subspan(first * library_.num_factors);
      batches_[1]->start(rest.first(std::min(most_numbers, rest.size())), num_threads);
      if (first > 0) finish(first - kContextsAtOnce, num_threads, take);
      std::swap(batches_[0], batches_[1]);
    }
    finish((contexts - 1) / kContextsAtOnce * kContextsAtOnce, num_threads, take);
  }

 private:
  void prepare(std::size_t contexts) const {
    if (contexts <= most_contexts_) return;
    for (auto& batch : batches_) batch = std::make_unique<BatchSearch>(library_, contexts);
    most_contexts_ = contexts;
  }

  // Finishes the batch that was started first. `begin` is its first context.
  void finish(std::size_t begin, int num_threads, const TakeCandidates& take) const {
    const std::span<const BestThree> judged = batches_[0]->finish();
    for_each_task(judged.size(), num_threads, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) take(begin + i, candidates(judged[i]));
    });
  }

  Candidates candidates(const BestThree& three) const {
    if (three.index[0] == cuda::kOpen) return std::nullopt;
    std::array<std::size_t, cuda::kCandidates> rows;
    std::ranges::transform(three.index, rows.begin(), [&](std::uint32_t i) { return live_[i]; });
    std::ranges::sort(rows);
    return rows;
  }

  std::vector<std::size_t> live_;
  LibraryOnGpu library_;
  mutable std::mutex one_search_;
  mutable std::array<std::unique_ptr<BatchSearch>, 2> batches_;
  mutable std::size_t most_contexts_ = 0;
};

}  // namespace

std::unique_ptr<const CandidateSearch> make_gpu_search(const FeasibleSet& feasible,
                                                       std::span<const std::size_t> live) {
  if (live.size() < cuda::kKept || feasible.num_factors() > cuda::kMostFactors) return nullptr;
  return std::make_unique<const GpuSearch>(feasible, live);
}

}  // namespace otss::internal
