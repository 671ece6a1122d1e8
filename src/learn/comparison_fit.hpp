// One protocol for all compared methods, so that all are fitted on the same rows.
#pragma once

#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

struct ComparisonProtocol {
  double validation = defaults::kHeldOutShare;  // share of the rows that choose settings
  bool refit = false;  // refit the chosen setting on training and validation rows
};

// Comparison methods, and OTSS by the paper's estimator, choose settings on the validation rows.
// OTSS by the estimators map and bayes, and pooled, choose within the rows they are fitted on;
// without refit these are the training rows only.
Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol);

// The rows that every method is finally fitted on.
std::vector<std::size_t> fitted_rows(const LoggedData& log, std::uint64_t seed,
                                     const ComparisonProtocol& protocol);

}  // namespace otss
