// What a benchmark does first: without a GPU it ends with the reason, before it makes rows.
#pragma once

#include <fmt/core.h>

#include <cstdlib>

#include "base/cuda/gpu.hpp"

namespace otss::bench {

inline void need_gpu() {
  const internal::cuda::GpuSearch found = internal::cuda::find_gpu();
  if (found.gpu) return;
  fmt::print(stderr, "{}\n", found.reason);
  std::exit(1);
}

}  // namespace otss::bench
