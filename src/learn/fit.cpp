#include "otss/learn/fit.hpp"

#include "learn/estimate/fit_soft.hpp"
#include "learn/fit_gate.hpp"
#include "learn/methods/fit_method.hpp"
#include "learn/options/option_check.hpp"
#include "learn/options/option_conflicts.hpp"

namespace otss {

using namespace internal;

Fitted fit(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  check_options(options);
  refuse_conflicts(log, options);
  // Rows of one unit depend on each other, and the population is judged on whole units.
  if (!log.units().empty() && log.groups().empty())
    return fit(log.grouped_by_unit(), options, progress);
  if (options.gate == GateChoice::kAuto) return fit_best_gate(log, options, progress);
  const bool soft = options.method == Method::kPooled || fits_segments(options.method);
  const bool by_held_out_loss = options.gate == GateChoice::kMlp || is_paper_recipe(options);
  return soft && !by_held_out_loss ? fit_soft(log, options, progress)
                                   : fit_method(log, options, progress);
}

}  // namespace otss
