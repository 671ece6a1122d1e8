// Continues a fit whose start is the optimum of some of the rows.
#pragma once

#include <algorithm>
#include <span>

#include "learn/averaging/cross_validation.hpp"

namespace otss::internal {

// Fits a setting to the rows of `problem` from a start that is near the optimum. Plain L-BFGS would
// take hundreds of passes if there are more experts than the log can distinguish. This fit takes
// about twenty, because it is preconditioned by the Gauss–Newton matrix of a few rows: 4,096, or 16
// for each parameter. The matrix need not be exact.
inline MixtureFit continued_fit(const Problem& problem, const Setting& setting,
                                std::span<const double> start, const FitEffort& effort) {
  constexpr std::size_t kFewestRows = 4096, kRowsPerParameter = 16;
  const MixtureLayout layout = problem.layout(setting.experts);
  const Problem few = subsample(problem, std::max(kFewestRows, kRowsPerParameter * layout.size()));
  const auto engine = make_engine(problem, setting.experts, effort.num_threads);
  return finish_fit(*engine, few, setting.penalty, start, effort);
}

}  // namespace otss::internal
