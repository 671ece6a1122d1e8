// The rows of a problem on a GPU, which follows whole trajectories of the chains.
#pragma once

#include <memory>

#include "learn/posterior/chain_rows.hpp"

namespace otss::internal::cuda {

// True if the GPU can sample the posterior of this problem with K experts.
bool can_sample(const Problem& problem, int num_experts);

std::unique_ptr<const ChainRows> make_gpu_chain_rows(const Problem& problem, int num_experts);

}  // namespace otss::internal::cuda
