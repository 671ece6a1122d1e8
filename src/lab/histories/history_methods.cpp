#include "lab/histories/history_methods.hpp"

namespace otss::internal {

std::vector<HistoryMethod> fit_history_methods(const PanelTrial& trial) {
  return {fit_with_history(trial), fit_without_history(trial), fit_mixed_logit(trial),
          fit_unit_models(trial),  fit_unit_columns(trial),    fit_unit_classes(trial)};
}

}  // namespace otss::internal
