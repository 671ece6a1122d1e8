// Makes the model of an estimate: the scorer, its uncertainty and its report.
#pragma once

#include <optional>

#include "learn/deploy/report.hpp"
#include "learn/estimate/estimate.hpp"
#include "learn/estimate/weight_uncertainty.hpp"
#include "learn/units/marginal_fit.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// What a model is made from besides the estimate. For a large log, `log` and `problem` are evenly
// spaced rows, and `held_out` are the rows of the second sample. Otherwise all of them are the whole
// log.
struct DeployedFrom {
  const LoggedData& log;
  const Problem& problem;
  HeldOutRows held_out;
  const PooledFit& pooled;
  const CovarianceOf& covariance_of;
  Estimator estimator = Estimator::kMap;
  bool has_segments = true;  // false: the estimate has one trade-off by the options of the fit
  int num_threads = 1;
};

// `record` has the report so far. `units` has the fit with deviations of units, if there are any.
Fitted deploy_estimate(const DeployedFrom& from, const Estimate& found, const FitOptions& options,
                       FitReport record, const std::optional<MarginalFit>& units);

// If the log has units, estimates their deviations and adds them to the report. If the deviations are
// supported, the distilled model becomes the population of the fit with deviations. `held_out_eta`
// has the held-out predictors of all rows, and NaN for rows that are never held out.
std::optional<MarginalFit> fit_deviations(const LoggedData& log, const Problem& problem,
                                          const PooledFit& pooled,
                                          std::span<const double> held_out_eta,
                                          const SelectionOptions& choices,
                                          const std::function<void(double)>& progress,
                                          Estimate& found, FitReport& record);

// Returns the covariance of a model that was fitted to all rows of `problem`. If `units` has a fit
// with deviations, the covariance is that of the marginal likelihood, clustered by group. All
// arguments must live longer than the result.
CovarianceOf covariance_of_rows(const LoggedData& log, const Problem& problem,
                                const std::optional<MarginalFit>& units, int num_threads);

}  // namespace otss::internal
