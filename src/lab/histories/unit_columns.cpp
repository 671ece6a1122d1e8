#include <Eigen/Cholesky>
#include <cmath>
#include <memory>

#include "lab/histories/history_methods.hpp"
#include "lab/histories/panel_rows.hpp"
#include "lab/histories/ridge_logistic.hpp"

namespace otss::internal {
namespace {

const std::vector<double> kColumnPrecisions = {0.5, 1, 2, 4, 8, 16, 32};
constexpr double kSharedPrecision = 1;  // of the coefficients that all units share
constexpr int kNewtonSteps = 30;
constexpr int kStepHalvings = 20;
constexpr double kLeastDecrease = 1e-9;  // relative to the objective

// Returns the columns that all units share: 1, x, z and all products of x and z.
Eigen::MatrixXd shared_design(const Simulation& s, const SimulatedRows& rows,
                              const UnitRowNumbers& numbers) {
  const int p = s.num_contexts;
  const Eigen::MatrixXd z = unit_design(s, rows, numbers);
  Eigen::MatrixXd design((1 + p) * z.rows(), z.cols());
  for (Eigen::Index i = 0; i < z.cols(); ++i) {
    const Eigen::VectorXd x = context_of(s, rows, numbers[i]);
    design.col(i).head(z.rows()) = z.col(i);
    for (int l = 0; l < p; ++l)
      design.col(i).segment((1 + l) * z.rows(), z.rows()) = x[l] * z.col(i);
  }
  return design;
}

// The rows of one unit of the log.
struct UnitBlock {
  Eigen::MatrixXd shared, own;  // one column per row
  Eigen::VectorXd outcomes;
};

// The coefficients of the shared columns, and those of each unit's own columns (1, z).
struct Coefficients {
  Eigen::VectorXd shared;
  std::vector<Eigen::VectorXd> own;
};

double objective(const std::vector<UnitBlock>& units, const Coefficients& c, double precision) {
  double sum = kSharedPrecision * c.shared.squaredNorm() / 2;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Eigen::VectorXd eta =
        units[i].shared.transpose() * c.shared + units[i].own.transpose() * c.own[i];
    for (Eigen::Index r = 0; r < eta.size(); ++r)
      sum += logistic_loss(units[i].outcomes[r], eta[r]);
    sum += precision * c.own[i].squaredNorm() / 2;
  }
  return sum;
}

// Computes a step of Newton's method for all coefficients together. The Hessian has a block for
// each unit and a border of the shared coefficients, so the units are eliminated one by one.
Coefficients newton_step(const std::vector<UnitBlock>& units, const Coefficients& c,
                         double precision) {
  const Eigen::Index size = c.shared.size();
  Eigen::MatrixXd border = kSharedPrecision * Eigen::MatrixXd::Identity(size, size);
  Eigen::VectorXd right = -kSharedPrecision * c.shared;
  std::vector<Eigen::MatrixXd> couplings;  // H_ii^-1 H_i,shared
  Coefficients step{{}, {}};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitBlock& unit = units[i];
    const Eigen::ArrayXd eta =
        (unit.shared.transpose() * c.shared + unit.own.transpose() * c.own[i]).array();
    const Eigen::ArrayXd p = 1 / (1 + (-eta).exp());
    const Eigen::VectorXd residual = (unit.outcomes.array() - p).matrix();
    const Eigen::MatrixXd curved = unit.own * (p * (1 - p)).matrix().asDiagonal();
    Eigen::MatrixXd hessian = curved * unit.own.transpose();
    hessian.diagonal().array() += precision;
    const Eigen::MatrixXd cross = curved * unit.shared.transpose();
    const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
    couplings.emplace_back(factor.solve(cross));
    step.own.emplace_back(factor.solve(unit.own * residual - precision * c.own[i]));
    border += unit.shared * (p * (1 - p)).matrix().asDiagonal() * unit.shared.transpose();
    border -= cross.transpose() * couplings.back();
    right += unit.shared * residual - cross.transpose() * step.own.back();
  }
  step.shared = border.llt().solve(right);
  for (std::size_t i = 0; i < units.size(); ++i) step.own[i] -= couplings[i] * step.shared;
  return step;
}

Coefficients sum_of(const Coefficients& c, const Coefficients& step, double length) {
  Coefficients result{c.shared + length * step.shared, {}};
  for (std::size_t i = 0; i < c.own.size(); ++i)
    result.own.emplace_back(c.own[i] + length * step.own[i]);
  return result;
}

Coefficients fit_columns(const std::vector<UnitBlock>& units, double precision) {
  Coefficients c{
      Eigen::VectorXd::Zero(units.front().shared.rows()),
      std::vector<Eigen::VectorXd>(units.size(), Eigen::VectorXd::Zero(units.front().own.rows()))};
  double reached = objective(units, c, precision);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Coefficients step = newton_step(units, c, precision);
    double length = 1;
    Coefficients next = sum_of(c, step, length);
    double loss = objective(units, next, precision);
    for (int halving = 0; halving < kStepHalvings && !(loss <= reached); ++halving) {
      next = sum_of(c, step, length /= 2);
      loss = objective(units, next, precision);
    }
    if (!(loss <= reached)) break;
    const double decrease = reached - loss;
    c = std::move(next);
    reached = loss;
    if (decrease <= kLeastDecrease * reached) break;
  }
  return c;
}

std::vector<UnitBlock> blocks(const Simulation& s, const std::vector<UnitRowNumbers>& units) {
  std::vector<UnitBlock> result;
  for (const UnitRowNumbers& rows : units)
    result.push_back({shared_design(s, s.train, rows), unit_design(s, s.train, rows),
                      outcomes_of(s.train, rows)});
  return result;
}

double held_out_loss_of_columns(const Simulation& s, const WithinUnits& fold, double precision) {
  const Coefficients c = fit_columns(blocks(s, fold.fitted), precision);
  const std::vector<UnitBlock> held_out = blocks(s, fold.held_out);
  double sum = 0;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const Eigen::VectorXd eta =
        held_out[i].shared.transpose() * c.shared + held_out[i].own.transpose() * c.own[i];
    for (Eigen::Index r = 0; r < eta.size(); ++r)
      sum += logistic_loss(held_out[i].outcomes[r], eta[r]);
  }
  return sum;
}

// Returns the weights in a test context: those that all units share, and those of the test unit.
Eigen::VectorXd weights_in_context(const PanelTrial& trial, const Eigen::VectorXd& shared,
                                   double precision, std::size_t test_row,
                                   const UnitRowNumbers& history) {
  const Simulation& s = trial.simulation;
  const RidgeLogistic of_unit{
      unit_design(s, trial.histories, history), outcomes_of(trial.histories, history),
      shared_design(s, trial.histories, history).transpose() * shared,
      Eigen::VectorXd::Ones(static_cast<Eigen::Index>(history.size())), precision};
  Eigen::VectorXd c = of_unit.fit(Eigen::VectorXd::Zero(1 + s.num_factors));
  const Eigen::VectorXd x = context_of(s, s.test, test_row);
  c += shared.head(c.size());
  for (int l = 0; l < s.num_contexts; ++l) c += x[l] * shared.segment((1 + l) * c.size(), c.size());
  return c.tail(s.num_factors);
}

}  // namespace

HistoryMethod fit_unit_columns(const PanelTrial& trial) {
  const Simulation& s = trial.simulation;
  const std::vector<WithinUnits> folds = folds_within_units(s.train);
  const double precision = least_loss(kColumnPrecisions, [&](double candidate) {
    double sum = 0;
    for (const WithinUnits& fold : folds) sum += held_out_loss_of_columns(s, fold, candidate);
    return sum;
  });
  const Eigen::VectorXd shared = fit_columns(blocks(s, rows_of_units(s.train)), precision).shared;
  return {"unit-columns", [&trial, precision, shared](std::size_t history_rows) {
            std::vector<double> weights;
            for (std::size_t i = 0; i < trial.simulation.test.num_rows; ++i) {
              const Eigen::VectorXd w = weights_in_context(trial, shared, precision, i,
                                                           history_of(trial, i, history_rows));
              weights.insert(weights.end(), w.begin(), w.end());
            }
            return weights;
          }};
}

}  // namespace otss::internal
