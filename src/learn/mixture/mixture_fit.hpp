// Makes one penalised maximum-likelihood fit of the soft mixture from one start.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {

struct MixtureFit {
  MixtureLayout layout;
  std::vector<double> theta;
  double objective = 0;  // (summed loss + penalty) / total weight
  int evaluations = 0;   // number of full passes over the rows
  bool converged = false;
  std::string message;  // why the optimizer stopped
};

// FitEffort::least_gain of the last fit of a large log. Such a fit starts near its optimum, so it takes
// only one or two passes more, and fits on different devices then agree to nine digits.
inline constexpr double kFinalGain = 1e-14;

// The same if the GPU's rows are in f16, and the rounding errors of the loss: the kernel computes in f32, so
// smaller gains are noise. A gain of so little moves the weights of 10^8 rows by .01 standard errors.
inline constexpr double kFinalGainInHalf = 1e-12;
inline constexpr double kLossNoiseInHalf = 1e-11;

struct FitEffort {
  int num_threads = 1;
  // If true, the fit continues in f64 after it has converged in f32. To compare settings, the f32
  // optimum is precise enough.
  bool polish = true;
  // The f64 passes end when the estimated remaining decrease of the objective is less than this
  // share of it.
  double least_gain = 1e-11;
  double value_noise = kNoiseOfDouble;  // LbfgsOptions::value_noise of these passes
  // A fit to few rows ends after this many passes over them, converged or not. 0 means no limit but
  // that of the optimizer.
  int most_passes = 0;
};

// Fits theta from `start`. Up to 60,000 rows, or 100 rows per parameter if that is more, the method
// is plain L-BFGS. With more rows, a subsample is fitted first. The fit on all rows then starts
// from the optimum of the subsample and is preconditioned by the subsample's Gauss–Newton matrix
// (docs/method.md).
MixtureFit fit_mixture(const Problem& problem, const Penalty& penalty, const MixtureLayout& layout,
                       std::span<const double> start, const FitEffort& effort);

// Fits theta to all rows of `engine` from `start`, the optimum (or nearly so) of the rows of
// `sample`, which are some of these rows. The fit obeys the bounds of `sample`. It is preconditioned
// by the sample's Gauss–Newton matrix, so that it takes about ten passes over the rows.
MixtureFit finish_fit(const Engine& engine, const Problem& sample, const Penalty& penalty,
                      std::span<const double> start, const FitEffort& effort);

// Returns the weighted mean loss of `theta` over the rows of `problem`, without penalty.
double mean_loss(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                 int num_threads);

}  // namespace otss::internal
