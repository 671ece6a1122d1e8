// Defines on which rows a comparison fits each method, and on which rows the method chooses its
// settings.
#pragma once

#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

struct ComparisonProtocol {
  double validation = defaults::kHeldOutShare;  // share of the rows on which settings are chosen
  bool refit = false;  // if true, the chosen setting is refitted on training and validation rows
};

// Fits one method of a comparison. Comparison methods, and OTSS with the paper's estimator, choose
// their settings on the validation rows. The pooled model, and OTSS with the estimators map and
// bayes, choose their settings on fitted_rows().
Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol);

// Returns the rows on which the final model of every method is fitted: all rows if protocol.refit
// is true, else the training rows.
std::vector<std::size_t> fitted_rows(const LoggedData& log, std::uint64_t seed,
                                     const ComparisonProtocol& protocol);

}  // namespace otss::internal
