#include "base/cuda/gpu.hpp"

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <atomic>
#include <future>

#include "base/cuda/device_memory.hpp"

namespace otss::internal::cuda {
namespace {

// The kernels are compiled for Hopper; newer GPUs translate them.
constexpr int kOldestMajor = 9;

std::atomic<int> chosen_gpu = 0;

}  // namespace

void choose_gpu(int number) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) chosen_gpu = number % count;
}

void start_gpu() {
  static const std::future<void> started = std::async(std::launch::async, [] {
    if (cudaSetDevice(chosen_gpu) == cudaSuccess) cudaFree(nullptr);
  });
}

int use_gpu() {
  const int number = chosen_gpu;
  require(cudaSetDevice(number), "be chosen");
  return number;
}

GpuSearch find_gpu() {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess || count == 0) {
    return {std::nullopt, fmt::format("no NVIDIA GPU was found ({})",
                                      counted == cudaSuccess ? "the driver shows none"
                                                             : cudaGetErrorString(counted))};
  }
  cudaDeviceProp facts{};
  const cudaError_t asked = cudaGetDeviceProperties(&facts, chosen_gpu);
  if (asked != cudaSuccess)
    return {std::nullopt, fmt::format("the GPU does not answer ({})", cudaGetErrorString(asked))};
  if (facts.major < kOldestMajor) {
    return {
        std::nullopt,
        fmt::format("the GPU {} is too old: otss needs compute capability {}.0, as the H100 has",
                    facts.name, kOldestMajor)};
  }
  return {Gpu{facts.name, facts.totalGlobalMem, facts.multiProcessorCount}, {}};
}

}  // namespace otss::internal::cuda
