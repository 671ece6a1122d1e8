// An average of many mixtures as one mixture of K experts, so that w = sum_k alpha_k beta_k holds
// in what is deployed and a weight costs nanoseconds.
#pragma once

#include <span>
#include <vector>

#include "learn/problem.hpp"

namespace otss {

struct Member {
  double weight = 0;  // over all members: 1 in total
  MixtureLayout layout;
  std::vector<double> theta;
};

struct Distilled {
  MixtureLayout layout;
  std::vector<double> theta;
  // Mean squared difference of the logits, relative to how much the average's logits vary because
  // weights vary with the context: 0 lost nothing, 1 is no better than one trade-off for everybody.
  double relative_error = 0;
};

// Fits gate, experts and expert intercepts to the average's weight map over the log's contexts, in
// the metric of the log's factors and within the problem's bounds; the baseline, linear in the
// context, is averaged as it is.
Distilled distill(const Problem& problem, const std::vector<Member>& members, int num_experts,
                  std::span<const double> start);

}  // namespace otss
