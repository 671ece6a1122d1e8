#include "lab/worlds/oracle_gate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/averaging/cross_validation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/mixture/pooled.hpp"

namespace otss::internal {
namespace {

// Prior standard deviations s of the difference between an expert's linear predictor and that of the
// centre; the penalty strength is J / s². These are the strengths that the method em tries.
constexpr double kOracleSpreads[] = {3.2, 1.6, 0.8, 0.4};

// The columns of the oracle gate: the factors z_j for the centre, then alpha_k z_j for the difference
// of each expert from the centre. With known shares the model is a logistic regression on them.
struct OracleColumns {
  const Simulation& simulation;
  LoggedData log;                 // the rows that the gate is fitted to, standardised
  std::vector<std::size_t> rows;  // their indices among the training rows
  PooledFit pooled;

  int num_columns() const {
    return log.num_contexts() + (1 + simulation.num_experts) * log.num_factors();
  }

  // A ridge of strength r on a coefficient is a ridge of strength q on the coefficient of the column
  // times sqrt(q / r). So one ridge, that of the centre, serves all columns.
  double scale_of(double spread) const {
    return std::sqrt(pooled.penalty.center / (log.num_factors() / (spread * spread)));
  }

  Problem problem(double spread) const {
    const int p = log.num_contexts();
    const int num_factors = log.num_factors();
    auto features = std::make_shared<TileMatrix>(rows.size(), num_columns());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int j = 0; j < p + num_factors; ++j) features->at(i, j) = log.features().at(i, j);
      for (int e = 0; e < simulation.num_experts * num_factors; ++e) {
        const double share =
            simulation.train.shares[rows[i] * simulation.num_experts + e / num_factors];
        const double z = log.features().at(i, p + e % num_factors);
        features->at(i, p + num_factors + e) = static_cast<float>(scale_of(spread) * share * z);
      }
    }
    Problem result = whole_problem(log);
    result.features = std::move(features);
    return result;
  }

  std::vector<double> fit(const Problem& problem) const {
    const MixtureLayout layout = problem.layout(1);
    return fit_mixture(problem, pooled.penalty, layout, std::vector<double>(layout.size(), 0.0), {})
        .theta;
  }
};

double oracle_loss(const OracleColumns& columns, const Problem& problem, const Folds& folds) {
  std::vector<double> eta(problem.num_rows(), 0.0);
  for (int fold = 0; fold < folds.count; ++fold) {
    const auto held_out = [&](std::size_t row) { return folds.of_row[row] == fold; };
    const std::vector<double> theta = columns.fit(folds.training(problem, fold));
    const auto predicted =
        predictors(problem, mixture_model(problem.layout(1), theta), 1, held_out);
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (held_out(i)) eta[i] = predicted[i];
    }
  }
  return weighted_mean(problem, row_losses(problem, folds, eta));
}

// Returns the experts, K × J, in the log's units.
std::vector<double> estimated_experts(const OracleColumns& columns) {
  const Folds folds = split_rows(columns.log, {}).folds;
  double lowest = std::numeric_limits<double>::infinity();
  double chosen = kOracleSpreads[0];
  for (const double spread : kOracleSpreads) {
    const double loss = oracle_loss(columns, columns.problem(spread), folds);
    if (loss < lowest) {
      lowest = loss;
      chosen = spread;
    }
  }
  const Problem problem = columns.problem(chosen);
  const std::vector<double> theta = columns.fit(problem);
  const auto own = std::span(theta).subspan(problem.layout(1).expert(0));
  const auto num_factors = static_cast<std::size_t>(columns.log.num_factors());
  std::vector<double> experts(columns.simulation.num_experts * num_factors);
  for (std::size_t e = 0; e < experts.size(); ++e) {
    const std::size_t j = e % num_factors;
    experts[e] = (own[j] + columns.scale_of(chosen) * own[num_factors + e]) /
                 columns.log.encoder().factors[j].scale;
  }
  return experts;
}

}  // namespace

std::vector<double> oracle_gate_weights(const Simulation& s, std::span<const std::size_t> rows) {
  std::vector<std::size_t> own(rows.begin(), rows.end());
  if (own.empty()) {
    own.resize(s.train.num_rows);
    std::iota(own.begin(), own.end(), std::size_t{0});
  }
  const LoggedData log = rows_of(training_log(s), own);
  const PooledFit pooled = fit_pooled(whole_problem(log), 1);
  const std::vector<double> experts = estimated_experts({s, log, std::move(own), pooled});
  std::vector<double> weights(s.test.num_rows * s.num_factors, 0.0);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    for (int k = 0; k < s.num_experts; ++k) {
      for (int j = 0; j < s.num_factors; ++j)
        weights[i * s.num_factors + j] +=
            s.test.shares[i * s.num_experts + k] * experts[k * s.num_factors + j];
    }
  }
  return weights;
}

}  // namespace otss::internal
