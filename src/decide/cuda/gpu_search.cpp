#include "decide/cuda/gpu_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/cuda/gpu.hpp"
#include "base/cuda/pinned_array.hpp"
#include "base/cuda/stream.hpp"
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
// So many thread blocks per multiprocessor are enough to keep it busy.
constexpr std::size_t kBlocksPerMultiprocessor = 4;
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
  const std::size_t wanted = kBlocksPerMultiprocessor * num_multiprocessors / blocks;
  return static_cast<int>(std::clamp<std::size_t>(
      wanted, 1, std::max<std::size_t>(1, library.num_decisions / kFewestDecisionsPerPart)));
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

  void start(std::span<const double> w) {
    contexts_ = w.size() / library_.num_factors;
    std::ranges::transform(w, rounded_.data(),
                           [](double value) { return static_cast<float>(value); });
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
    return {judged_.data(), std::exchange(contexts_, 0)};
  }

 private:
  const LibraryOnGpu& library_;
  int num_multiprocessors_;
  std::size_t contexts_ = 0;  // that are searched for now
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

  std::vector<Candidates> find(std::size_t rows, std::span<const double> w) const override {
    std::vector<Candidates> found;
    if (rows == 0) return found;
    found.reserve(rows);
    const std::lock_guard lock(one_search_);
    prepare(std::min(rows, kContextsAtOnce));
    const std::size_t most_numbers = kContextsAtOnce * library_.num_factors;
    for (std::size_t first = 0; first < w.size(); first += most_numbers) {
      batches_[1]->start(w.subspan(first, std::min(most_numbers, w.size() - first)));
      append(batches_[0]->finish(), found);
      std::swap(batches_[0], batches_[1]);
    }
    append(batches_[0]->finish(), found);
    return found;
  }

 private:
  void prepare(std::size_t contexts) const {
    if (contexts <= most_contexts_) return;
    for (auto& batch : batches_) batch = std::make_unique<BatchSearch>(library_, contexts);
    most_contexts_ = contexts;
  }

  void append(std::span<const BestThree> judged, std::vector<Candidates>& found) const {
    for (const BestThree& three : judged) found.push_back(candidates(three));
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
