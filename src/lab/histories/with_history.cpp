#include "lab/histories/history_methods.hpp"
#include "lab/histories/panel_rows.hpp"
#include "lab/worlds/truth.hpp"
#include "model/units/deviation_basis.hpp"
#include "model/units/unit_posterior.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {
namespace {

// Computes deviations of units from their earlier rows.
class DeviationsFromRows {
 public:
  explicit DeviationsFromRows(const Fitted& fitted)
      : fitted_(fitted),
        basis_(*fitted.deviations(), fitted.num_factors()),
        posterior_(fitted.family(), fitted.baseline().noise, basis_.rank()) {}

  // Returns (v, u) of the unit with these rows, for standardised factors.
  std::vector<double> of(const Simulation& s, const SimulatedRows& rows,
                         const UnitRowNumbers& numbers) {
    const std::size_t rank = basis_.rank();
    std::vector<double> directions(numbers.size() * rank), offsets, outcomes;
    std::vector<double> x(fitted_.num_contexts()), z(s.num_factors);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t row = numbers[i];
      const double* context = &rows.contexts[row * s.num_contexts];
      const std::vector<RawValue> raw(context, context + s.num_contexts);
      fitted_.encoder().encode(raw, x);
      const std::span<const double> logged = s.logged_factors(rows, row);
      for (int j = 0; j < s.num_factors; ++j) {
        const FactorColumn& factor = fitted_.encoder().factors[j];
        z[j] = (logged[j] - factor.center) / factor.scale;
      }
      basis_.project(z, std::span(directions).subspan(i * rank, rank));
      offsets.push_back(fitted_.predictor(x, logged));
      outcomes.push_back(rows.outcomes[row]);
    }
    posterior_.update({directions, offsets, outcomes});
    std::vector<double> deviation(basis_.size());
    basis_.expand(posterior_.mean(), deviation);
    return deviation;
  }

 private:
  const Fitted& fitted_;
  DeviationBasis basis_;
  UnitPosterior posterior_;
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
  DeviationsFromRows deviations(fitted);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const std::vector<double> deviation =
        deviations.of(s, trial.histories, history_of(trial, i, history_rows));
    for (int j = 0; j < s.num_factors; ++j)
      weights[i * s.num_factors + j] += deviation[1 + j] / fitted.encoder().factors[j].scale;
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
