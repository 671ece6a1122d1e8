#include <memory>
#include <stdexcept>

#include "lab/histories/history_methods.hpp"
#include "lab/histories/panel_rows.hpp"
#include "lab/worlds/truth.hpp"
#include "model/units/unit_model.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {
namespace {

// Computes what a model believes about units, from rows of theirs.
class BeliefFromRows {
 public:
  explicit BeliefFromRows(const Fitted& fitted)
      : model_(std::make_shared<const UnitModel>(fitted)), moments_(model_->make_moments()) {}

  UnitBelief of(const Simulation& s, const SimulatedRows& rows, const UnitRowNumbers& numbers) {
    const Fitted& fitted = model_->fitted();
    const std::size_t rank = model_->rank();
    std::vector<double> directions(numbers.size() * rank), offsets, outcomes;
    std::vector<double> x(fitted.num_contexts());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double* context = &rows.contexts[numbers[i] * s.num_contexts];
      fitted.encoder().encode(std::vector<RawValue>(context, context + s.num_contexts), x);
      const std::span<const double> logged = s.logged_factors(rows, numbers[i]);
      std::vector<double> z(logged.begin(), logged.end());
      model_->standardise(z);
      model_->basis().project(z, std::span(directions).subspan(i * rank, rank));
      offsets.push_back(fitted.predictor(x, logged));
      outcomes.push_back(rows.outcomes[numbers[i]]);
    }
    moments_.clear();
    moments_.add({directions, offsets, outcomes});
    moments_.compute();
    if (!moments_.is_finite(0))
      throw std::logic_error(
          "the posterior of a simulated unit is not finite; please report this bug");
    return make_belief(model_, moments_, 0);
  }

 private:
  std::shared_ptr<const UnitModel> model_;
  UnitMoments moments_;
};

HistoryMethod fit_units(const PanelTrial& trial, std::string name, FitOptions options) {
  options.threads = 1;
  return {std::move(name), [&trial, fitted = fit(training_log_of_units(trial.simulation), options)](
                               std::size_t history_rows) {
            return weights_with_history(trial, fitted, history_rows);
          }};
}

}  // namespace

std::vector<double> weights_with_history(const PanelTrial& trial, const Fitted& fitted,
                                         std::size_t history_rows) {
  const Simulation& s = trial.simulation;
  std::vector<double> weights = test_weights(s, fitted);
  if (fitted.deviations() == nullptr) return weights;  // the log does not support deviations
  BeliefFromRows beliefs(fitted);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const UnitBelief belief = beliefs.of(s, trial.histories, history_of(trial, i, history_rows));
    for (int j = 0; j < s.num_factors; ++j) weights[i * s.num_factors + j] += belief.weights[j];
  }
  return weights;
}

HistoryMethod fit_without_history(const PanelTrial& trial) {
  const Fitted fitted = fit(training_log(trial.simulation), {.threads = 1});
  return {"otss-no-history",
          [weights = test_weights(trial.simulation, fitted)](std::size_t) { return weights; }};
}

HistoryMethod fit_with_history(const PanelTrial& trial) {
  return fit_units(trial, "otss-history", {});
}

HistoryMethod fit_mixed_logit(const PanelTrial& trial) {
  return fit_units(trial, "mixed-logit", {.method = Method::kPooled});
}

}  // namespace otss::internal
