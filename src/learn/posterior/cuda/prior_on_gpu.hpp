// The tables of a LearnedPenalty as the kernel reads them (leapfrog_kernel.cuh).
#pragma once

#include <vector>

#include "base/cuda/device_memory.hpp"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"
#include "learn/posterior/learned_penalty.hpp"

namespace otss::internal::cuda {

class PriorOnGpu {
 public:
  explicit PriorOnGpu(const MixtureLayout& layout);

  PriorTable table() const;
  int num_groups() const { return static_cast<int>(freedom_.size()); }

  // Writes the shape and the rate of each group's strength to `to`. The shapes are those given theta;
  // the kernel adds to the rates what theta adds.
  void write_laws(const LearnedPenalty& prior, double* to) const;

 private:
  MixtureLayout layout_;
  std::vector<int> freedom_;  // of each group
  int num_columns_ = 0;
  DeviceArray<PriorColumn> columns_;
  DeviceArray<int> group_begin_, columns_of_;
};

}  // namespace otss::internal::cuda
