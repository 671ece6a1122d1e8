#include "learn/comparison_fit.hpp"

#include "learn/options/option_check.hpp"
#include "otss/data/splits.hpp"

namespace otss::internal {

std::vector<std::size_t> fitted_rows(const LoggedData& log, std::uint64_t seed,
                                     const ComparisonProtocol& protocol) {
  std::vector<std::uint8_t> held_out(log.num_rows(), 0);
  if (!protocol.refit) held_out = validation_rows(log, protocol.validation, seed);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    if (held_out[i] == 0) rows.push_back(i);
  }
  return rows;
}

Treatment customary_treatment(const FitOptions& options) {
  return fits_segments(options.method) && !is_paper_recipe(options) ? Treatment::kAverage
                                                                    : Treatment::kPick;
}

bool has_both_treatments(const FitOptions& options) {
  return options.method != Method::kPooled && !is_paper_recipe(options);
}

Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol) {
  const bool both = has_both_treatments(options);
  if (is_paper_recipe(options) || (both && protocol.treatment == Treatment::kPick)) {
    options.treatment = Treatment::kPick;
    // The posterior has no settings to pick from, so penalised fits are picked.
    if (options.estimator == Estimator::kBayes) options.estimator = Estimator::kMap;
    options.deploy = Deploy::kDistilled;
    options.validation = protocol.validation;
    options.no_refit = !protocol.refit;
    return fit(log, options);
  }
  if (both) options.treatment = Treatment::kAverage;
  if (protocol.refit) return fit(log, options);
  return fit(rows_of(log, fitted_rows(log, options.seed, protocol)), options);
}

}  // namespace otss::internal
