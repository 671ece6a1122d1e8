// Moves a chain by the gradients that the other thread blocks add up (row_gradient.cuh).
#pragma once

#include <cmath>

#include "learn/posterior/cuda/block_signal.cuh"
#include "learn/posterior/cuda/block_sums.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

// The shared memory of the block that moves the chain. All parts begin at multiples of 16 bytes.
struct MoveMemory {
  double *theta, *speed, *impulse, *change, *gradient, *of_prior;  // [size of theta, in fours]
  double *sums, *forms;                                            // [column of the prior]
  double *strengths, *values, *laws;  // [group]; of laws two for each group
  double* warp_sums;                  // [kLeapfrogWarps]
  float* rounded;                     // [size of theta, in fours]: the gradient
  float* scratch;                     // [kRowScratch]
  float* inverse;                     // [inverse_rows_copied][size of theta, in fours]

  __device__ MoveMemory(const LeapfrogPass& pass, double* shared) {
    const auto take = [&](int count) {
      double* const begin = shared;
      shared += count;
      return begin;
    };
    const int size = in_fours(pass.size());
    const int columns = in_fours(pass.prior.num_columns), groups = in_fours(pass.prior.num_groups);
    for (double** part : {&theta, &speed, &impulse, &change, &gradient, &of_prior})
      *part = take(size);
    sums = take(columns);
    forms = take(columns);
    strengths = take(groups);
    values = take(groups);
    laws = take(2 * groups);
    warp_sums = take(kLeapfrogWarps);
    rounded = reinterpret_cast<float*>(shared);
    scratch = rounded + size;
    inverse = scratch + kRowScratch;
  }
};

// Without the copy of the inverse.
inline std::size_t bytes_of_move(const LeapfrogPass& pass) {
  const int numbers = 6 * in_fours(pass.size()) + 2 * in_fours(pass.prior.num_columns) +
                      4 * in_fours(pass.prior.num_groups) + kLeapfrogWarps;
  return numbers * sizeof(double) + (in_fours(pass.size()) + kRowScratch) * sizeof(float);
}

// Computes the gradient of the prior (LearnedPenalty::add). Returns its value to thread 0.
__device__ inline double work_on_prior(const LeapfrogPass& pass, const MoveMemory& memory) {
  const PriorTable& prior = pass.prior;
  for (int i = threadIdx.x; i < prior.num_columns; i += kLeapfrogThreads) {
    const PriorColumn column = prior.columns[i];
    double sum = 0, squares = 0;
    for (int k = 0; k < column.count; ++k) {
      const double value = memory.theta[column.first + k * column.stride];
      sum += value;
      squares += value * value;
    }
    memory.sums[i] = column.shared * sum;
    memory.forms[i] = column.diagonal * squares - column.shared * sum * sum;
  }
  __syncthreads();
  for (int g = threadIdx.x; g < prior.num_groups; g += kLeapfrogThreads) {
    double form = 0;
    for (int i = prior.group_begin[g]; i < prior.group_begin[g + 1]; ++i) form += memory.forms[i];
    const double shape = memory.laws[2 * g], rate = memory.laws[2 * g + 1] + 0.5 * form;
    memory.strengths[g] = shape / rate;
    memory.values[g] = shape * log(rate);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads) {
    double sum = 0;
    for (int which = 0; which < 2; ++which) {
      const int at = prior.columns_of[2 * i + which];
      if (at < 0) continue;
      const PriorColumn column = prior.columns[at];
      sum += memory.strengths[column.group] * (column.diagonal * memory.theta[i] - memory.sums[at]);
    }
    memory.of_prior[i] = sum;
  }
  double value = 0;
  if (threadIdx.x == 0)
    for (int g = 0; g < prior.num_groups; ++g) value += memory.values[g];
  __syncthreads();
  return value;
}

// Waits for the sums of all blocks and adds them to the prior's. `step` is the number of the gradient.
// Returns the loss of all rows to thread 0.
__device__ inline double complete_gradient(const LeapfrogPass& pass, const MoveMemory& memory,
                                           int step) {
  const int num_blocks = pass.num_row_blocks(), size = pass.size();
  wait_for_signals(&pass.signals->sums, (step + 1) * num_blocks);
  double loss = 0;
  for (int i = threadIdx.x; i < num_blocks; i += kLeapfrogThreads) loss += __ldcg(pass.losses + i);
  add_rows({pass.gradients, num_blocks, size}, nullptr, memory.scratch, memory.gradient);
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads) {
    memory.gradient[i] += memory.of_prior[i];
    memory.rounded[i] = static_cast<float>(memory.gradient[i]);
  }
  return sum_of_block(loss, memory.warp_sums);
}

// The gradient changes the velocity, then the velocity changes theta.
__device__ inline void move(const LeapfrogPass& pass, const MoveMemory& memory, double length,
                            double kick) {
  const int size = pass.size();
  add_rows({pass.inverse, size, size, memory.inverse, pass.inverse_rows_copied}, memory.rounded,
           memory.scratch, memory.change);
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads) {
    memory.speed[i] -= kick * length * memory.change[i];
    memory.theta[i] += length * memory.speed[i];
    pass.theta[i] = memory.theta[i];
  }
}

// Copies the last rows of the inverse to shared memory.
__device__ inline void copy_inverse(const LeapfrogPass& pass, const MoveMemory& memory) {
  const int row = in_fours(pass.size()), count = pass.inverse_rows_copied * row;
  const float* const from = pass.inverse + static_cast<std::size_t>(pass.size()) * row - count;
  for (int i = threadIdx.x * 4; i < count; i += kLeapfrogThreads * 4)
    *reinterpret_cast<float4*>(memory.inverse + i) = *reinterpret_cast<const float4*>(from + i);
}

// Reads where a trajectory begins, and tells it to the other blocks.
__device__ inline void begin_trajectory(const LeapfrogPass& pass, const MoveMemory& memory) {
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads) {
    memory.theta[i] = pass.theta[i] = pass.state.theta()[i];
    memory.speed[i] = pass.state.speed()[i];
    memory.impulse[i] = 0;
  }
  for (int i = threadIdx.x; i < 2 * pass.prior.num_groups; i += kLeapfrogThreads)
    memory.laws[i] = pass.state.laws()[i];
  signal_of_block(&pass.signals->moves);
  copy_inverse(pass, memory);
  __syncthreads();
}

// Moves the chain along a trajectory. The first thread knows the values of the objective.
__device__ inline void follow_with_chain(const LeapfrogPass& pass, double* shared) {
  const MoveMemory memory(pass, shared);
  const int size = pass.size();
  const double length = pass.state.number(kStepSize);
  double first_value = 0, value = 0;
  bool is_finite = true;
  begin_trajectory(pass, memory);
  for (int step = 0; step <= pass.num_steps; ++step) {
    const bool is_last = step == pass.num_steps;
    const double kick = step == 0 || is_last ? 0.5 : 1.0;
    const double of_prior = work_on_prior(pass, memory);
    value = of_prior + complete_gradient(pass, memory, step);
    if (step == 0) first_value = value;
    is_finite &= static_cast<bool>(isfinite(value));
    if (!is_last) {
      move(pass, memory, length, kick);
      signal_of_block(&pass.signals->moves);
    }
    for (int i = threadIdx.x; i < size; i += kLeapfrogThreads)
      memory.impulse[i] += kick * memory.gradient[i];
  }
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads) {
    pass.state.theta()[i] = memory.theta[i];
    pass.state.impulse()[i] = memory.impulse[i];
  }
  if (threadIdx.x > 0) return;
  pass.state.number(kFirstValue) = first_value;
  pass.state.number(kLastValue) = is_finite ? value : INFINITY;
  *pass.signals = {0, 0};
}

}  // namespace otss::internal::cuda
