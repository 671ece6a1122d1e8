// One protocol for every method that is compared, so that none is fitted on more rows than another.
#pragma once

#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

struct ComparisonProtocol {
  double validation =
      defaults::kHeldOutShare;  // share of the rows that choose settings, the same for every method
  bool refit = false;           // on training and validation rows, once the setting is chosen
};

// Comparison methods choose by the validation rows. OTSS (by an estimator of ours) and pooled
// choose within the rows they are fitted on, which without refit are the training rows alone.
Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol);

// The rows that every method is fitted on.
std::vector<std::size_t> fitted_rows(const LoggedData& log, std::uint64_t seed,
                                     const ComparisonProtocol& protocol);

}  // namespace otss
