// This file has the functions of Fitted that depend on what is known about a unit.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/threads.hpp"
#include "model/averaged_predictor.hpp"
#include "model/fitted_parts.hpp"
#include "model/predictor.hpp"
#include "model/uncertainty/confidence.hpp"
#include "model/uncertainty/discrepancy.hpp"
#include "model/units/averaged_loss.hpp"
#include "model/units/packed_cholesky.hpp"
#include "model/units/unit_model.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

// Returns (1, z) with standardised factors.
std::vector<double> with_intercept(const Encoder& encoder, std::span<const double> centered_z) {
  std::vector<double> z{1};
  for (std::size_t j = 0; j < centered_z.size(); ++j)
    z.push_back(centered_z[j] / encoder.factors[j].scale);
  return z;
}

// A normal distribution of the deviation of a unit's predictor from that of the population.
struct PredictorDeviation {
  double mean = 0, variance = 0;
};

PredictorDeviation deviation_of_new_unit(const Deviations& deviations, std::span<const double> z) {
  PredictorDeviation result;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < z.size(); ++j)
      result.variance += z[i] * z[j] * deviations.covariance[i * z.size() + j];
  }
  return result;
}

PredictorDeviation deviation_of(const UnitBelief& unit, std::span<const double> z) {
  std::vector<double> direction(unit.mean.size());
  unit.model->basis().project(z.subspan(1), direction);
  PredictorDeviation result;
  for (std::size_t i = 0; i < direction.size(); ++i) result.mean += direction[i] * unit.mean[i];
  solve_lower(unit.factor, direction);
  for (const double entry : direction) result.variance += entry * entry;
  return result;
}

// `unit` is null for a new unit. The model must have deviations.
PredictorDeviation deviation_of(const Fitted& fitted, std::span<const double> centered_z,
                                const UnitBelief* unit) {
  const std::vector<double> z = with_intercept(fitted.encoder(), centered_z);
  return unit == nullptr ? deviation_of_new_unit(*fitted.deviations(), z) : deviation_of(*unit, z);
}

// Returns the standard deviation of the linear predictor's error that a gate that does not fit adds.
double predictor_discrepancy(const Fitted::Parts& parts, std::span<const double> centered_z) {
  const std::span<const double> own = discrepancy_of(parts);
  return std::abs(std::inner_product(own.begin(), own.end(), centered_z.begin(), 0.0));
}

// Calls use(draw, error) with draws of a unit's error of (b + v, w + u), for standardised factors.
template <class Use>
void for_each_error(const Fitted& fitted, std::span<const double> x, const UnitBelief& unit,
                    const Use& use) {
  const Uncertainty& uncertainty = fitted.uncertainty();
  const UnitModel& model = *unit.model;
  const std::size_t size = model.basis().size(), rank = model.rank();
  const std::size_t draws = uncertainty.num_draws();
  std::vector<double> population(draws * size);
  const std::vector<double> at_centers(size - 1, 0.0);
  uncertainty.joint_departures(x,
                               expert_effects(*fitted.mixture(), fitted.baseline(),
                                              fitted.mixes_probabilities(), x, at_centers),
                               population);
  for (std::size_t i = 0; i < population.size(); ++i) {
    if (i % size > 0) population[i] *= fitted.encoder().factors[i % size - 1].scale;
  }
  const UnitErrorMap map = model.error_map(unit.factor);
  std::vector<double> error(size);
  for (std::size_t draw = 0; draw < draws * model.repeats(); ++draw) {
    const double* of_population = population.data() + (draw % draws) * size;
    const double* normals = model.normals().data() + draw * rank;
    for (std::size_t i = 0; i < size; ++i) {
      error[i] = 0;
      for (std::size_t j = 0; j < size; ++j)
        error[i] += map.carried[i * size + j] * of_population[j];
      for (std::size_t a = 0; a < rank; ++a) error[i] += map.own[i * rank + a] * normals[a];
    }
    use(draw, error);
  }
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

void add_deviations(UnitBeliefs units, std::span<double> w) {
  if (units.empty()) return;
  const std::size_t num_factors = w.size() / units.size();
  for (std::size_t row = 0; row < units.size(); ++row) {
    if (units[row] == nullptr) continue;
    for (std::size_t j = 0; j < num_factors; ++j)
      w[row * num_factors + j] += units[row]->weights[j];
  }
}

void Fitted::weights(std::span<const double> x, const UnitBelief* unit, std::span<double> w) const {
  weights(x, w);
  add_deviations(std::span(&unit, 1), w);
}

std::vector<double> Fitted::departures(std::span<const double> x, const UnitBelief* unit) const {
  const std::size_t num_factors = this->num_factors();
  const std::size_t draws = uncertainty().num_draws();
  if (unit == nullptr) {
    std::vector<double> result(draws * num_factors);
    uncertainty().departures(x, result);
    add_discrepancy(discrepancy_of(*parts_), result);
    return result;
  }
  std::vector<double> result(draws * unit->model->repeats() * num_factors);
  for_each_error(*this, x, *unit, [&](std::size_t draw, std::span<const double> error) {
    for (std::size_t j = 0; j < num_factors; ++j)
      result[draw * num_factors + j] = error[1 + j] / encoder().factors[j].scale;
  });
  add_discrepancy(discrepancy_of(*parts_), result);
  return result;
}

void Fitted::intervals(std::span<const double> x, double level, std::span<double> lo,
                       std::span<double> hi, Coverage coverage, const UnitBelief* unit) const {
  require_confidence(level);
  uncertainty().interval_of(departures(x, unit), level, coverage, lo, hi);
  std::vector<double> w(num_factors());
  weights(x, unit, w);
  for (std::size_t j = 0; j < w.size(); ++j) {
    lo[j] += w[j];
    hi[j] += w[j];
  }
}

void Fitted::intervals(std::size_t rows, std::span<const double> x, double level,
                       std::span<double> lo, std::span<double> hi, Coverage coverage,
                       int num_threads, std::span<const UnitBelief* const> units) const {
  const std::size_t p = num_contexts();
  const std::size_t num_weights = num_factors();
  parallel_for(rows, num_threads, [&](std::size_t i) {
    intervals(x.subspan(i * p, p), level, lo.subspan(i * num_weights, num_weights),
              hi.subspan(i * num_weights, num_weights), coverage,
              units.empty() ? nullptr : units[i]);
  });
}

double Fitted::predictor(std::span<const double> x, std::span<const double> z,
                         const UnitBelief* unit) const {
  const std::vector<double> counted = centered(z);
  const double eta =
      linear_predictor(scorer(), parts_->baseline, parts_->mixes_probabilities, x, counted);
  if (!parts_->deviations) return eta;
  const PredictorDeviation own = deviation_of(*this, counted, unit);
  return averaged_predictor(family(), eta + own.mean, own.variance);
}

double Fitted::log_loss(std::span<const double> x, std::span<const double> z, double outcome,
                        const UnitBelief* unit) const {
  const double noise = parts_->baseline.noise;
  if (!parts_->deviations) return family().log_loss(predictor(x, z), outcome, noise);
  const std::vector<double> counted = centered(z);
  const double eta =
      linear_predictor(scorer(), parts_->baseline, parts_->mixes_probabilities, x, counted);
  const PredictorDeviation own = deviation_of(*this, counted, unit);
  return AveragedLoss(family(), noise).at(eta + own.mean, own.variance, outcome);
}

Bounds Fitted::mean_interval(std::span<const double> x, std::span<const double> z, double level,
                             const UnitBelief* unit) const {
  require_confidence(level);
  const Uncertainty& known = uncertainty();
  if (!known.knows_baseline()) {
    throw Error(ErrorCode::kInput,
                "this model has intervals for its weights but not for its predictions, because an "
                "older version of otss fitted it; fit the model again");
  }
  const std::vector<double> counted = centered(z);
  const double eta =
      linear_predictor(scorer(), parts_->baseline, parts_->mixes_probabilities, x, counted);
  const double discrepancy = predictor_discrepancy(*parts_, counted);
  if (unit == nullptr) {
    const Bounds bounds = widened(
        known.predictor_interval(
            x, counted,
            expert_effects(*mixture(), parts_->baseline, parts_->mixes_probabilities, x, counted),
            level),
        discrepancy, level);
    double variance = 0;
    if (parts_->deviations) {
      variance =
          deviation_of_new_unit(*parts_->deviations, with_intercept(encoder(), counted)).variance;
    }
    return {family().mean(averaged_predictor(family(), eta + bounds.lo, variance)),
            family().mean(averaged_predictor(family(), eta + bounds.hi, variance))};
  }
  const std::vector<double> factors = with_intercept(encoder(), counted);
  std::vector<double> errors(known.num_draws() * unit->model->repeats());
  for_each_error(*this, x, *unit, [&](std::size_t draw, std::span<const double> error) {
    for (std::size_t i = 0; i < error.size(); ++i) errors[draw] += factors[i] * error[i];
  });
  Bounds bounds;
  known.interval_of(errors, level, Coverage::kEachFactor, std::span(&bounds.lo, 1),
                    std::span(&bounds.hi, 1));
  bounds = widened(bounds, discrepancy, level);
  const double own = eta + deviation_of(*unit, factors).mean;
  return {family().mean(own + bounds.lo), family().mean(own + bounds.hi)};
}

}  // namespace otss
