// The search for candidates on a GPU.
#pragma once

#include <memory>
#include <span>

#include "decide/device/candidate_search.hpp"

namespace otss::internal {

// Returns null if the set has fewer than four decisions or too many factors.
std::unique_ptr<const CandidateSearch> make_gpu_search(const FeasibleSet& feasible,
                                                       std::span<const std::size_t> live);

}  // namespace otss::internal
