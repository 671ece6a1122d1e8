// The weights of many contexts: each member of an average of mixtures with linear gates has a softmax over its
// own experts.
#pragma once

#include <cuda_runtime_api.h>

namespace otss::internal::cuda {

// The shares of all experts must fit into the shared memory of a thread block.
inline constexpr int kMostWeightExperts = 96;

// Pointers are to memory of the card.
struct WeightsPass {
  int num_contexts = 0, num_factors = 0, num_experts = 0, num_members = 0;
  const double* slopes = nullptr;          // [expert][context column]
  const double* intercepts = nullptr;      // [expert]
  const double* experts = nullptr;         // [expert][factor]
  const int* member_begin = nullptr;       // the first expert of each member, and num_experts
  const double* member_weights = nullptr;  // [member]
  int num_rows = 0;
  const double* x = nullptr;  // [row][context column]
  double* w = nullptr;        // [row][factor]
};

cudaError_t launch_weights(const WeightsPass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
