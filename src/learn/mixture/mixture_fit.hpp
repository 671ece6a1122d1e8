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
  // Continue in f64 after f32 has converged. The f32 optimum is good enough to compare settings.
  bool polish = true;
};

// Up to 60,000 rows (or 100 per parameter, if that is more) plain L-BFGS. With more rows, a
// subsample is fitted first: its optimum is the start, and its Gauss–Newton matrix the
// preconditioner, of the fit on all rows (docs/method.md).
MixtureFit fit_mixture(const Problem& problem, const Penalty& penalty, const MixtureLayout& layout,
                       std::span<const double> start, const FitEffort& effort);

// Weighted mean loss of `theta` over the rows of `problem`, without penalty.
double mean_loss(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                 int num_threads);

}  // namespace otss
