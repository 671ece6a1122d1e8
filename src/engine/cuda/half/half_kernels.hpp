// The compiled shapes of the kernel for rows that are stored in f16 (half_kernel.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "engine/cuda/half/half_shape.hpp"
#include "engine/cuda/mixture_kernels.hpp"

namespace otss::internal::cuda {

// The rows that a kernel reads, and where it adds its sums.
struct HalfPassRows {
  const void* features = nullptr;         // HalfRows
  const float* signed_weights = nullptr;  // SignedWeights
  std::uint64_t num_tiles = 0;
  int num_columns = 0;
  float weight_scale = 1;
  double* sums = nullptr;  // [warp of the grid][HalfShape::sums_of_warp]
};

struct HalfKernel {
  HalfShape shape;
  // The parameters are 2K constants, and for each of the 2K values the coefficients of all columns of the
  // shape.
  cudaError_t (*launch)(const HalfPassRows& rows, const PassParameters& parameters, int num_blocks,
                        cudaStream_t stream);
};

// Returns the kernels for K experts, 1 <= K <= kMostExperts, the smallest shape first.
using HalfKernels = std::array<HalfKernel, kMostHalfSteps>;
template <int K>
const HalfKernels& half_kernels_of();
template <>
const HalfKernels& half_kernels_of<1>();
template <>
const HalfKernels& half_kernels_of<2>();
template <>
const HalfKernels& half_kernels_of<3>();
template <>
const HalfKernels& half_kernels_of<4>();
template <>
const HalfKernels& half_kernels_of<5>();
template <>
const HalfKernels& half_kernels_of<6>();
template <>
const HalfKernels& half_kernels_of<7>();
template <>
const HalfKernels& half_kernels_of<8>();

// Returns the smallest kernel that holds a log of this shape, or null if none does.
const HalfKernel* find_half_kernel(const MixtureLayout& layout);

}  // namespace otss::internal::cuda
