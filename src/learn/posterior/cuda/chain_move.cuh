// Moves a chain by the gradients that the other thread blocks add up (row_gradient.cuh).
#pragma once

#include <cmath>

#include "learn/posterior/cuda/block_signal.cuh"
#include "learn/posterior/cuda/block_sums.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

// A kernel follows at most so many trajectories, so that others can use the card in between. It waits so
// many cycles for the next one: longer than the host needs between two moves of a chain.
inline constexpr unsigned kMostTrajectories = 32;
inline constexpr long long kPatienceCycles = 400'000;  // 0.2 ms

// The shared memory of the block that moves the chain. All parts begin at multiples of 16 bytes.
struct MoveMemory {
  ChainState state;  // a copy of the host's
  // The rows' part of the gradient, [size of theta, in fours]: where the trajectory began, and where it
  // is. Each thread reads and writes its own entries only.
  double *at_beginning, *at_end;
  double *of_prior, *change;   // [size of theta, in fours]; the same memory: `change` comes later
  unsigned long long* totals;  // [size of theta, in fours]: LeapfrogPass::totals of the last step
  double* warp_sums;           // [kLeapfrogWarps]
  float* rounded;              // [size of theta, in fours]: the gradient
  float* scratch;              // [kProductScratch], or:
  double *sums, *forms;        // [column of the prior]
  double *strengths, *values;  // [group]
  float* inverse;              // [inverse_rows_copied][size of theta, in fours]

  __device__ MoveMemory(const LeapfrogPass& pass, double* shared) : state(pass.state) {
    const auto take = [&](int count) {
      double* const begin = shared;
      shared += count;
      return begin;
    };
    const int size = in_fours(pass.size());
    const int columns = in_fours(pass.prior.num_columns), groups = in_fours(pass.prior.num_groups);
    state.numbers = take(in_fours(state.count()));
    for (double** part : {&at_beginning, &at_end, &of_prior}) *part = take(size);
    change = of_prior;
    totals = reinterpret_cast<unsigned long long*>(take(size));
    warp_sums = take(kLeapfrogWarps);
    rounded = reinterpret_cast<float*>(take(size / 2));
    sums = shared;
    forms = sums + columns;
    strengths = forms + columns;
    values = strengths + groups;
    scratch = reinterpret_cast<float*>(take(doubles_of_scratch(pass)));
    inverse = reinterpret_cast<float*>(shared);
  }

  __host__ __device__ static int doubles_of_scratch(const LeapfrogPass& pass) {
    const int of_prior = 2 * in_fours(pass.prior.num_columns) + 2 * in_fours(pass.prior.num_groups);
    return of_prior > kProductScratch / 2 ? of_prior : kProductScratch / 2;
  }
};

// Without the copy of the inverse.
inline std::size_t bytes_of_move(const LeapfrogPass& pass) {
  const int size = in_fours(pass.size());
  return sizeof(double) * (in_fours(pass.state.count()) + 4 * size + kLeapfrogWarps + size / 2 +
                           MoveMemory::doubles_of_scratch(pass));
}

// Computes the gradient of the prior (LearnedPenalty::add). Returns its value to thread 0.
__device__ inline double work_on_prior(const LeapfrogPass& pass, const MoveMemory& memory) {
  const PriorTable& prior = pass.prior;
  for (int i = threadIdx.x; i < prior.num_columns; i += kLeapfrogThreads) {
    const PriorColumn column = prior.columns[i];
    double sum = 0, squares = 0;
    for (int k = 0; k < column.count; ++k) {
      const double value = memory.state.theta()[column.first + k * column.stride];
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
    const double shape = memory.state.laws()[2 * g],
                 rate = memory.state.laws()[2 * g + 1] + 0.5 * form;
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
      sum += memory.strengths[column.group] *
             (column.diagonal * memory.state.theta()[i] - memory.sums[at]);
    }
    memory.of_prior[i] = sum;
  }
  double value = 0;
  if (threadIdx.x == 0)
    for (int g = 0; g < prior.num_groups; ++g) value += memory.values[g];
  __syncthreads();
  return value;
}

// Waits until all blocks have added to the sums of a parameter in this step. Returns what they added,
// and changes `before` to the new sums.
__device__ inline double wait_for_total(const LeapfrogPass& pass, int parameter,
                                        unsigned long long& before) {
  constexpr unsigned long long kCounts = (1ULL << kCountBits) - 1;
  const auto num_blocks = static_cast<unsigned long long>(pass.num_row_blocks());
  unsigned long long added = 0;
  do {
    added = load_shared(pass.totals + parameter) - before;
  } while ((added & kCounts) != num_blocks);
  before += added;
  return static_cast<double>(static_cast<long long>(added) >> kCountBits) * pass.units_per_whole;
}

// Adds the prior's gradient to that of the rows. `kick` is the part of a step for which the sum changes
// the velocity.
__device__ inline void complete_gradient(const LeapfrogPass& pass, const MoveMemory& memory,
                                         const double* of_rows, double kick) {
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads) {
    const double gradient = memory.of_prior[i] + of_rows[i];
    memory.state.impulse()[i] += kick * gradient;
    memory.rounded[i] = static_cast<float>(gradient);
  }
}

// Waits for the gradients and the losses of all blocks. Returns the loss of all rows to thread 0.
__device__ inline double wait_for_rows(const LeapfrogPass& pass, const MoveMemory& memory,
                                       unsigned step, double* gradient) {
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads)
    gradient[i] = wait_for_total(pass, i, memory.totals[i]);
  double loss = 0;
  for (int i = threadIdx.x; i < 2 * pass.num_row_blocks(); i += kLeapfrogThreads)
    loss += wait_for_step(pass.losses + i, step, step).number;
  return sum_of_block(loss, memory.warp_sums);
}

// Tells the other blocks where the chain is.
__device__ inline void publish_theta(const LeapfrogPass& pass, const MoveMemory& memory,
                                     unsigned step) {
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads)
    tell(pass.theta + i, {static_cast<float>(memory.state.theta()[i]), step});
}

// The gradient changes the velocity, then the velocity changes theta.
__device__ inline void move(const LeapfrogPass& pass, const MoveMemory& memory,
                            const Product& inverse, double length, double kick) {
  inverse.multiply(memory.rounded, memory.scratch, memory.change);
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads) {
    double& speed = memory.state.speed()[i];
    speed -= kick * length * memory.change[i];
    memory.state.theta()[i] += length * speed;
  }
}

// Reads where a trajectory begins, all at once: a number of the host takes microseconds. The numbers were
// written while this kernel ran.
__device__ inline void read_beginning(const LeapfrogPass& pass, const MoveMemory& memory) {
  const ChainState& state = memory.state;
  for (int i = threadIdx.x; i < state.count_read(); i += kLeapfrogThreads)
    state.numbers[i] = load_shared(pass.state.numbers + i);
  for (int i = threadIdx.x; i < state.size; i += kLeapfrogThreads) state.impulse()[i] = 0;
  __syncthreads();
}

__device__ inline void write_end(const LeapfrogPass& pass, const MoveMemory& memory) {
  const ChainState& state = memory.state;
  __syncthreads();
  for (int i = threadIdx.x; i < state.count(); i += kLeapfrogThreads)
    pass.state.numbers[i] = state.numbers[i];
}

// What a kernel knows of its last trajectory. Thread 0 knows the losses of the rows.
struct LastTrajectory {
  bool is_known = false;
  double loss_at_beginning = 0, loss_at_end = 0;
};

// Completes what is known about the rows where a trajectory begins. Returns false if nothing is known.
__device__ inline bool knows_beginning(const MoveMemory& memory, LastTrajectory& last) {
  const auto beginning =
      static_cast<ChainBeginning>(static_cast<int>(memory.state.number(kBeginning)));
  if (!last.is_known || beginning == ChainBeginning::kElsewhere) return false;
  if (beginning == ChainBeginning::kLastEnd) {
    for (int i = threadIdx.x; i < memory.state.size; i += kLeapfrogThreads)
      memory.at_beginning[i] = memory.at_end[i];
    last.loss_at_beginning = last.loss_at_end;
  }
  return true;
}

// Moves the chain along a trajectory. Returns the number of the last step.
__device__ inline unsigned follow_trajectory(const LeapfrogPass& pass, const MoveMemory& memory,
                                             const Product& inverse, unsigned step,
                                             LastTrajectory& last) {
  read_beginning(pass, memory);
  const ChainState& state = memory.state;
  const double length = state.number(kStepSize);
  const int num_steps = static_cast<int>(state.number(kNumSteps));
  const bool begins_known = knows_beginning(memory, last);
  double first_value = 0, value = 0;
  bool is_finite = true;
  for (int s = 0; s <= num_steps; ++s) {
    const bool is_first = s == 0, is_last = s == num_steps;
    const bool is_known = is_first && begins_known;
    const double kick = is_first || is_last ? 0.5 : 1.0;
    double* const of_rows = is_first ? memory.at_beginning : memory.at_end;
    double& loss = is_first ? last.loss_at_beginning : last.loss_at_end;
    if (!is_known) publish_theta(pass, memory, ++step);
    __syncthreads();
    const double of_prior = work_on_prior(pass, memory);
    if (!is_known) loss = wait_for_rows(pass, memory, step, of_rows);
    complete_gradient(pass, memory, of_rows, kick);
    __syncthreads();
    value = of_prior + loss;
    if (is_first) first_value = value;
    is_finite &= static_cast<bool>(isfinite(value));
    if (!is_last) move(pass, memory, inverse, length, kick);
  }
  last.is_known = true;
  if (threadIdx.x == 0) {
    state.number(kFirstValue) = first_value;
    state.number(kLastValue) = is_finite ? value : INFINITY;
    state.number(kStepsDone) = step;
  }
  write_end(pass, memory);
  return step;
}

// Copies the last rows of the inverse to shared memory.
__device__ inline void copy_inverse(const LeapfrogPass& pass, const MoveMemory& memory) {
  const int row = in_fours(pass.size()), count = pass.inverse_rows_copied * row;
  const float* const from = pass.inverse + static_cast<std::size_t>(pass.size()) * row - count;
  for (int i = threadIdx.x * 4; i < count; i += kLeapfrogThreads * 4)
    *reinterpret_cast<float4*>(memory.inverse + i) = *reinterpret_cast<const float4*>(from + i);
}

// Follows the trajectories that the host asks for.
__device__ inline void follow_with_chain(const LeapfrogPass& pass, double* shared) {
  const MoveMemory memory(pass, shared);
  copy_inverse(pass, memory);
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads)
    memory.totals[i] = load_shared(pass.totals + i);
  __syncthreads();
  const Product inverse(
      {pass.inverse, pass.size(), pass.size(), memory.inverse, pass.inverse_rows_copied});
  LastTrajectory last;
  unsigned step = pass.steps_done, trajectory = pass.first_trajectory;
  const unsigned end = trajectory + kMostTrajectories;
  while (trajectory != end && wait_for_host(&pass.mail->asked, trajectory, kPatienceCycles)) {
    step = follow_trajectory(pass, memory, inverse, step, last);
    tell_host(&pass.mail->answered, trajectory++);
  }
  for (int i = threadIdx.x; i < pass.size(); i += kLeapfrogThreads)
    tell(pass.theta + i, {0, end_of_kernel(pass.kernel)});
  tell_host(&pass.mail->left, pass.kernel);
}

}  // namespace otss::internal::cuda
