#include "lab/histories/history_methods.hpp"
#include "lab/worlds/truth.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

HistoryMethod fit_without_history(const PanelTrial& trial) {
  const Fitted fitted = fit(training_log(trial.simulation), {.threads = 1});
  return {"otss-no-history",
          [weights = test_weights(trial.simulation, fitted)](std::size_t) { return weights; }};
}

}  // namespace otss::internal
