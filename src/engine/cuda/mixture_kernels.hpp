// The compiled shapes of the kernel for loss and gradient (mixture_kernel.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "engine/cuda/kernel_shape.hpp"
#include "engine/precision.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

// The rows that a kernel reads, and where it adds its sums.
struct PassRows {
  const float* features = nullptr;        // TileMatrix
  const float* signed_weights = nullptr;  // SignedWeights
  std::uint64_t num_tiles = 0;
  int num_contexts = 0;
  int num_columns = 0;
  double* sums = nullptr;  // [warp of the grid][KernelShape::sums_of_warp]
};

// The parameters of the mixture in the order of a kernel, both on the host: 2K constants, and K
// coefficients for each column of the shape.
struct PassParameters {
  std::span<const double> constants;
  std::span<const double> coefficients;
};

struct MixtureKernel {
  KernelShape shape;
  // Null if the shape has more sums than fit into registers.
  cudaError_t (*launch)(const PassRows& rows, const PassParameters& parameters, int num_blocks,
                        cudaStream_t stream);
};

// Returns the kernels for K experts in f32 and in f64, 1 <= K <= kMostExperts, of each the smallest
// shape first.
inline constexpr int kMostExperts = 8;
template <int K>
std::span<const MixtureKernel> mixture_kernels_of();
template <>
std::span<const MixtureKernel> mixture_kernels_of<1>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<2>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<3>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<4>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<5>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<6>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<7>();
template <>
std::span<const MixtureKernel> mixture_kernels_of<8>();

// Returns the smallest kernel that holds a log of this shape, or null if none does.
const MixtureKernel* find_mixture_kernel(const MixtureLayout& layout, Precision precision);

}  // namespace otss::internal::cuda
