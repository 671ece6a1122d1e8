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

Fitted fit_for_comparison(const LoggedData& log, FitOptions options,
                          const ComparisonProtocol& protocol) {
  const bool chooses_within = options.method == Method::kPooled ||
                              (fits_segments(options.method) && !is_paper_recipe(options));
  if (!chooses_within) {
    options.validation = protocol.validation;
    options.no_refit = !protocol.refit;
    return fit(log, options);
  }
  if (protocol.refit) return fit(log, options);
  return fit(rows_of(log, fitted_rows(log, options.seed, protocol)), options);
}

}  // namespace otss::internal
