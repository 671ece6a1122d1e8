#include <memory>

#include "lab/histories/history_methods.hpp"
#include "lab/histories/panel_rows.hpp"
#include "lab/histories/ridge_logistic.hpp"

namespace otss::internal {
namespace {

const std::vector<double> kUnitPrecisions = {0.1, 0.3, 1, 3, 10};
constexpr double kWeakPrecision = 1e-3;  // of the regression on the rows of all units

// Returns the coefficients of (1, z) that are fitted to some rows.
Eigen::VectorXd fit_rows(const Simulation& s, const SimulatedRows& rows,
                         const UnitRowNumbers& numbers, double precision) {
  const auto count = static_cast<Eigen::Index>(numbers.size());
  const RidgeLogistic problem{unit_design(s, rows, numbers), outcomes_of(rows, numbers),
                              Eigen::VectorXd::Zero(count), Eigen::VectorXd::Ones(count),
                              precision};
  return problem.fit(Eigen::VectorXd::Zero(1 + s.num_factors));
}

double held_out_loss(const Simulation& s, const WithinUnits& parts, double precision) {
  double sum = 0;
  for (std::size_t unit = 0; unit < parts.fitted.size(); ++unit) {
    if (parts.held_out[unit].empty()) continue;
    const Eigen::VectorXd c = fit_rows(s, s.train, parts.fitted[unit], precision);
    const Eigen::VectorXd eta = unit_design(s, s.train, parts.held_out[unit]).transpose() * c;
    const Eigen::VectorXd outcomes = outcomes_of(s.train, parts.held_out[unit]);
    for (Eigen::Index r = 0; r < eta.size(); ++r) sum += logistic_loss(outcomes[r], eta[r]);
  }
  return sum;
}

}  // namespace

HistoryMethod fit_unit_models(const PanelTrial& trial) {
  const Simulation& s = trial.simulation;
  const std::vector<WithinUnits> folds = folds_within_units(s.train);
  const double precision = least_loss(kUnitPrecisions, [&](double candidate) {
    double sum = 0;
    for (const WithinUnits& fold : folds) sum += held_out_loss(s, fold, candidate);
    return sum;
  });
  UnitRowNumbers all;
  for (std::size_t row = 0; row < s.train.num_rows; ++row) all.push_back(row);
  const Eigen::VectorXd pooled = fit_rows(s, s.train, all, kWeakPrecision);
  return {"unit-models", [&trial, precision, pooled](std::size_t history_rows) {
            std::vector<double> weights;
            for (std::size_t i = 0; i < trial.simulation.test.num_rows; ++i) {
              const Eigen::VectorXd c =
                  history_rows == 0 ? pooled
                                    : fit_rows(trial.simulation, trial.histories,
                                               history_of(trial, i, history_rows), precision);
              weights.insert(weights.end(), c.begin() + 1, c.end());
            }
            return weights;
          }};
}

}  // namespace otss::internal
