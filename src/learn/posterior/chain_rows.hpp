// The rows of a problem where the chains of a sampler need them: in the memory of this process, or on
// a GPU.
#pragma once

#include <memory>

#include "learn/posterior/leapfrog.hpp"
#include "learn/posterior/learned_penalty.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

class ChainRows {
 public:
  virtual ~ChainRows() = default;

  // Returns what follows the trajectories of one chain. Their objective is the summed loss minus the
  // logarithm of the prior density. Refers to these rows and to `prior`, which may change between two
  // trajectories; both must live longer.
  virtual std::unique_ptr<Leapfrog> leapfrog(const LearnedPenalty& prior,
                                             const Eigen::MatrixXd& hessian) const = 0;
};

// Refers to `problem`, which must live longer. A GPU takes 0/1 outcomes without offsets and up to 8
// experts; the processor takes the rest, whatever the device.
std::unique_ptr<const ChainRows> make_chain_rows(Device device, const Problem& problem,
                                                 int num_experts, int num_threads);

}  // namespace otss::internal
