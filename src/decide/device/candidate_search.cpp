#include "decide/device/candidate_search.hpp"

#ifdef OTSS_HAS_CUDA
#include "decide/cuda/gpu_search.hpp"
#endif

namespace otss::internal {

std::unique_ptr<const CandidateSearch> make_candidate_search(
    Device device, [[maybe_unused]] const FeasibleSet& feasible,
    [[maybe_unused]] std::span<const std::size_t> live) {
  require_device(device);
#ifdef OTSS_HAS_CUDA
  if (device == Device::kCuda) return make_gpu_search(feasible, live);
#endif
  return nullptr;
}

}  // namespace otss::internal
