// Defines on which rows a comparison fits each method, and how the method chooses its settings. A
// comparison is even if every method has the same treatment.
#pragma once

#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

struct ComparisonProtocol {
  double validation = defaults::kHeldOutShare;  // share of the rows that are validation rows
  bool refit = false;  // if true, the final model is fitted on training and validation rows
  // kPick is the protocol of the paper: one setting is picked by its loss on the validation rows.
  // kAverage is ours: all settings are averaged, with weights by cross-validation on the rows to
  // which the final model is fitted.
  Treatment treatment = Treatment::kAverage;
};

// Returns the treatment that a method has if nobody asks for another one: kAverage for OTSS with the
// estimators map and bayes, kPick for all other methods.
Treatment customary_treatment(const FitOptions& options);

// Returns false for methods that have only one treatment: the pooled model, whose penalties are
// estimated without held-out rows, and OTSS with the paper's estimator, which always picks.
bool has_both_treatments(const FitOptions& options);

// Fits one method of a comparison. A method that has only one treatment ignores that of `protocol`.
Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol);

// Returns the rows on which the final model of every method is fitted: all rows if protocol.refit
// is true, else the training rows.
std::vector<std::size_t> fitted_rows(const LoggedData& log, std::uint64_t seed,
                                     const ComparisonProtocol& protocol);

}  // namespace otss::internal
