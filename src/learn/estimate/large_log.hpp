// Estimates the model of a large log: what is hard to choose (the number of experts, the penalties,
// the relevances, the starting point) is chosen on a sample of the rows, by the code that fits small
// logs. One model is then fitted to all rows (docs/adr/0019).
#pragma once

#include <functional>
#include <optional>

#include "learn/estimate/estimate.hpp"
#include "learn/problem/large_problem.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// True if so many rows with a positive weight are more than options.large_log_rows.
bool is_large(std::size_t num_counting, const FitOptions& options);
bool is_large_log(const LoggedData& log, const FitOptions& options);

// Returns how the samples of a large log are drawn: the rows on which the settings are chosen, and
// the rows that judge the choice. Returns nothing if a log with so many rows of positive weight is
// not large. `num_parameters` is that of the largest mixture that is always tried.
std::optional<SampleOptions> large_log_sample_options(std::size_t num_counting,
                                                      const FitOptions& options,
                                                      std::size_t num_parameters);

// Returns these samples. Returns nothing if the log is not large, or if it has so few groups that a
// sample of groups would not represent the log.
std::optional<RowSamples> large_log_samples(const LoggedData& log, const FitOptions& options,
                                            std::size_t num_parameters);

// Estimates the mixture on the first sample, and fits the result to all rows of `problem`. The fit
// starts from the sample's result and is preconditioned by the sample's curvature. `pooled` is the
// pooled fit of the first sample. The held-out losses, predictors and gain of the result are those
// of the sample's model on the second sample: neither the choice nor this model has used these rows.
// The gain is conservative, because the model of all rows is better than that of the sample.
Estimate estimate_through_sample(const LargeProblem& problem, const TakenRows& first,
                                 const TakenRows& second, const PooledFit& pooled,
                                 const EstimatePlan& plan,
                                 const std::function<void(double)>& progress);

}  // namespace otss::internal
