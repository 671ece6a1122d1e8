// Estimates how much units deviate from the population, and the population's theta given that they
// do.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "learn/problem/split.hpp"
#include "learn/units/marginal_fit.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// A fit without deviations, from which the estimate starts.
struct WithoutDeviations {
  MixtureLayout layout;
  std::vector<double> theta;
  Penalty penalty;
  // The linear predictors of held-out rows by fits that did not use their units
  // (Selection::held_out_eta); NaN for rows that were never held out.
  std::span<const double> held_out_eta;
};

struct DeviationEstimate {
  // The fit to all rows, with the chosen form. Empty if the deviations are not supported.
  std::optional<MarginalFit> fit;
  DeviationReport report;
};

// Estimates the deviations of the log's units. The log must have units and groups, and no group may
// cut a unit. With more than kFormRows rows, the form is chosen on some units.
constexpr std::size_t kFormRows = 40'000;
DeviationEstimate estimate_deviations(const LoggedData& log, const Problem& problem,
                                      const WithoutDeviations& without, std::uint64_t seed,
                                      int num_threads, const std::function<void(double)>& progress);

// Returns the deviations as a model has them: in the outcome's own units.
Deviations deployed_deviations(const Problem& problem, const Population& population);

}  // namespace otss::internal
