// One penalised maximum-likelihood fit of the soft mixture from one start.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"

namespace otss {

struct MixtureFit {
  MixtureLayout layout;
  std::vector<double> theta;
  double objective = 0;  // mean loss + penalty / total weight
  int evaluations = 0;   // full passes over the rows
  bool converged = false;
  std::string message;  // why the optimizer stopped
};

struct FitEffort {
  int num_threads = 1;
  bool polish = true;  // end in f64; without it the f32 optimum is good enough to compare settings
};

// Up to 60,000 rows (100 per parameter, if that is more) plain L-BFGS; above, a fit on a subsample and its Gauss–Newton matrix
// precondition the passes over all rows (docs/method.md).
MixtureFit fit_mixture(const Problem& problem, const Penalty& penalty, const MixtureLayout& layout,
                       std::span<const double> start, const FitEffort& effort);

// Mean loss of `theta` over the rows that count in `problem`, without penalty.
double mean_loss(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                 int num_threads);

}  // namespace otss
