// Moves a chain by the gradients that the other thread blocks add up (row_gradient.cuh).
#pragma once

#include "learn/posterior/cuda/block_signal.cuh"
#include "learn/posterior/cuda/block_sums.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

// The shared memory of the block that moves the chain. The gradients have the objective after them.
struct MoveMemory {
  double *theta, *speed, *impulse, *change;  // [size of theta, in pairs]
  double *gradient, *of_prior;               // [size of theta + 1, in pairs]
  double *sums, *forms;                      // [column of the prior]
  double *strengths, *values;                // [group]
  double* scratch;                           // [kRowScratch]
  double* inverse;                           // [inverse_rows_copied][size of theta, in pairs]

  __device__ MoveMemory(const LeapfrogPass& pass, double* shared) {
    const auto take = [&](int count) {
      double* const begin = shared;
      shared += count;
      return begin;
    };
    const int size = paired(pass.size()), more = paired(pass.size() + 1);
    theta = take(size);
    speed = take(size);
    impulse = take(size);
    change = take(size);
    gradient = take(more);
    of_prior = take(more);
    scratch = take(kRowScratch<kLeapfrogThreads>);
    inverse = take(pass.inverse_rows_copied * size);
    sums = take(pass.prior.num_columns);
    forms = take(pass.prior.num_columns);
    strengths = take(pass.prior.num_groups);
    values = take(pass.prior.num_groups);
  }
};

// Without the copy of the inverse.
inline std::size_t bytes_of_move(const LeapfrogPass& pass) {
  return (6 * paired(pass.size() + 1) + kRowScratch<kLeapfrogThreads> +
          2 * (pass.prior.num_columns + pass.prior.num_groups)) *
         sizeof(double);
}

// Computes the gradient and the value of the prior (LearnedPenalty::add).
__device__ inline void work_on_prior(const LeapfrogPass& pass, const MoveMemory& memory) {
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
  const double* const laws = pass.state.laws();
  for (int g = threadIdx.x; g < prior.num_groups; g += kLeapfrogThreads) {
    double form = 0;
    for (int i = prior.group_begin[g]; i < prior.group_begin[g + 1]; ++i) form += memory.forms[i];
    const double shape = laws[2 * g], rate = laws[2 * g + 1] + 0.5 * form;
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
  if (threadIdx.x == 0) {
    double sum = 0;
    for (int g = 0; g < prior.num_groups; ++g) sum += memory.values[g];
    memory.of_prior[pass.size()] = sum;
  }
  __syncthreads();
}

// Waits for the sums of all blocks and adds them to the prior's. `step` is the number of the gradient.
__device__ inline void complete_gradient(const LeapfrogPass& pass, const MoveMemory& memory,
                                         int step) {
  const int num_blocks = pass.num_row_blocks(), size = pass.size();
  wait_for_signals(&pass.signals->sums, (step + 1) * num_blocks);
  add_rows<kLeapfrogThreads>({pass.partial, num_blocks, size + 1}, nullptr, memory.scratch,
                             memory.gradient);
  for (int i = threadIdx.x; i <= size; i += kLeapfrogThreads)
    memory.gradient[i] += memory.of_prior[i];
  __syncthreads();
  if (threadIdx.x > 0) return;
  const double value = memory.gradient[size];
  pass.state.number(step == 0 ? kFirstValue : kLastValue) = value;
  if (!isfinite(value)) pass.state.number(kNotFinite) = 1;
}

// The gradient changes the velocity, then the velocity changes theta.
__device__ inline void move(const LeapfrogPass& pass, const MoveMemory& memory, double length,
                            double kick) {
  const int size = pass.size();
  add_rows<kLeapfrogThreads>({pass.inverse, size, size, memory.inverse, pass.inverse_rows_copied},
                             memory.gradient, memory.scratch, memory.change);
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads) {
    memory.speed[i] -= kick * length * memory.change[i];
    memory.theta[i] += length * memory.speed[i];
    pass.state.theta()[i] = memory.theta[i];
  }
}

// Copies the last rows of the inverse to shared memory.
__device__ inline void copy_inverse(const LeapfrogPass& pass, const MoveMemory& memory) {
  const int row = paired(pass.size()), count = pass.inverse_rows_copied * row;
  const double* const from = pass.inverse + static_cast<std::size_t>(pass.size()) * row - count;
  for (int i = threadIdx.x; i < count; i += kLeapfrogThreads) memory.inverse[i] = from[i];
}

// Moves the chain along a trajectory.
__device__ inline void follow_with_chain(const LeapfrogPass& pass, double* shared) {
  const MoveMemory memory(pass, shared);
  const int size = pass.size();
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads) {
    memory.theta[i] = pass.state.theta()[i];
    memory.speed[i] = pass.state.speed()[i];
    memory.impulse[i] = 0;
  }
  copy_inverse(pass, memory);
  const double length = pass.state.number(kStepSize);
  __syncthreads();
  for (int step = 0; step <= pass.num_steps; ++step) {
    const bool is_last = step == pass.num_steps;
    const double kick = step == 0 || is_last ? 0.5 : 1.0;
    work_on_prior(pass, memory);
    complete_gradient(pass, memory, step);
    if (!is_last) {
      move(pass, memory, length, kick);
      signal_of_block(&pass.signals->moves);
    }
    for (int i = threadIdx.x; i < size; i += kLeapfrogThreads)
      memory.impulse[i] += kick * memory.gradient[i];
  }
  for (int i = threadIdx.x; i < size; i += kLeapfrogThreads)
    pass.state.impulse()[i] = memory.impulse[i];
  if (threadIdx.x == 0) *pass.signals = {0, 0};
}

}  // namespace otss::internal::cuda
