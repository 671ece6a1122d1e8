// A PassSums computes the gradient and the loss of one pass over the rows with one kind of kernel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/cuda/gpu_log.hpp"
#include "engine/precision.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

class PassSums {
 public:
  virtual ~PassSums() = default;
  // Sets the parameters, and all sums to 0.
  virtual void begin(std::span<const double> theta) = 0;
  // Starts the work on a piece.
  virtual void add(const TilePiece& piece) = 0;
  // Waits, and returns the gradient in the order of MixtureLayout, then the loss.
  virtual std::vector<double> end() = 0;
};

// The sums of a kernel that is unrolled for a shape (mixture_kernel.cuh). Returns null if no such kernel
// was compiled for this log. `log` must live longer.
std::unique_ptr<PassSums> make_unrolled_sums(const GpuLog& log, int num_experts,
                                             Precision precision);

// The sums of the kernel for rows in f16 (half_kernel.cuh), which computes in f32. Returns null if no such
// kernel was compiled for this log, or if its rows are in f32.
std::unique_ptr<PassSums> make_half_sums(const GpuLog& log, int num_experts);

// The sums of the general kernel.
std::unique_ptr<PassSums> make_general_sums(const GpuLog& log, int num_experts,
                                            Precision precision);

}  // namespace otss::internal::cuda
