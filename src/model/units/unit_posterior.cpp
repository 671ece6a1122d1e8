#include "model/units/unit_posterior.hpp"

#include <algorithm>
#include <cmath>

#include "model/family_formulas.hpp"
#include "model/units/packed_cholesky.hpp"

namespace otss::internal {
namespace {

// Newton's method stops when a step is shorter than 1e-6 standard errors. The step converges
// quadratically, so the mean is then right to about 1e-12 standard errors.
constexpr double kSmallDecrement = 1e-12;
constexpr int kMostSteps = 100;
constexpr int kMostHalvings = 40;
// A step must reduce the loss by this share of what its slope promises.
constexpr double kSufficient = 1e-4;

// A step is shortened if the loss rises, where the step ends, at more than this share of the rate at
// which it falls where the step begins.
constexpr double kSteep = 0.25;

// Returns d loss / d eta.
double slope_of(BernoulliFormulas, double eta, double outcome) {
  const double tail = std::exp(-std::abs(eta));
  return (eta > 0 ? 1 : tail) / (1 + tail) - outcome;
}
double slope_of(GaussianFormulas, double eta, double outcome) { return eta - outcome; }
double slope_of(PoissonFormulas, double eta, double outcome) {
  return PoissonFormulas::at(eta, outcome).slope;
}

// Returns the expected second derivative of the loss from its slope, which saves an exp().
double curvature_of(BernoulliFormulas, double slope, double /*outcome*/) {
  return std::abs(slope) * (1 - std::abs(slope));
}
double curvature_of(GaussianFormulas, double /*slope*/, double /*outcome*/) { return 1; }
double curvature_of(PoissonFormulas, double slope, double outcome) { return slope + outcome; }

double inner(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

UnitPosterior::UnitPosterior(OutputFamily family, double noise, int rank)
    : family_(family),
      row_precision_(family == OutputFamily::kGaussian ? 1 / (noise * noise) : 1),
      mean_(rank),
      step_(rank),
      trial_(rank),
      gradient_(rank),
      precision_(packed_size(rank)),
      factor_(packed_size(rank)),
      unit_precision_(packed_size(rank), 0.0),
      no_information_(rank, 0.0) {
  for (std::size_t i = 0; i < mean_.size(); ++i) unit_precision_[packed_size(i) + i] = 1;
}

bool UnitPosterior::update(const UnitRows& rows) {
  std::ranges::fill(mean_, 0.0);
  std::ranges::copy(unit_precision_, precision_.begin());
  std::ranges::copy(unit_precision_, factor_.begin());
  return run({unit_precision_, no_information_}, rows);
}

bool UnitPosterior::update(const NaturalNormal& prior, const UnitRows& rows) {
  return start_at_mean_of(prior) && run(prior, rows);
}

bool UnitPosterior::run(const NaturalNormal& prior, const UnitRows& rows) {
  curvatures_.resize(rows.size());
  return with_formulas(family_,
                       [&](auto formulas) { return run<decltype(formulas)>(prior, rows); });
}

bool UnitPosterior::start_at_mean_of(const NaturalNormal& prior) {
  std::ranges::copy(prior.precision, precision_.begin());
  std::ranges::copy(prior.precision, factor_.begin());
  std::ranges::copy(prior.information, mean_.begin());
  if (!factorize_packed(factor_, mean_.size())) return false;
  solve_packed(factor_, mean_);
  return true;
}

// Sets the gradient of the negative log posterior at e, and each row's curvature there.
template <class Formulas>
void UnitPosterior::differentiate(const NaturalNormal& prior, const UnitRows& rows,
                                  std::span<const double> e) {
  const std::size_t rank = e.size();
  multiply_packed(prior.precision, e, gradient_);
  for (std::size_t i = 0; i < rank; ++i) gradient_[i] -= prior.information[i];
  const double* direction = rows.directions.data();
  for (std::size_t r = 0; r < rows.size(); ++r, direction += rank) {
    const double weight = row_precision_ * (rows.weights.empty() ? 1 : rows.weights[r]);
    const double eta = rows.offsets[r] + inner(direction, e.data(), rank);
    const double slope = slope_of(Formulas{}, eta, rows.outcomes[r]);
    curvatures_[r] = weight * curvature_of(Formulas{}, slope, rows.outcomes[r]);
    for (std::size_t i = 0; i < rank; ++i) gradient_[i] += weight * slope * direction[i];
  }
}

// Returns the negative log posterior at e, up to a constant.
template <class Formulas>
double UnitPosterior::loss_at(const NaturalNormal& prior, const UnitRows& rows,
                              std::span<const double> e) const {
  const std::size_t rank = e.size();
  double loss = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    loss -= e[i] * prior.information[i];
    for (std::size_t j = 0; j <= i; ++j)
      loss += (i == j ? 0.5 : 1) * prior.precision[packed_size(i) + j] * e[i] * e[j];
  }
  const double* direction = rows.directions.data();
  for (std::size_t r = 0; r < rows.size(); ++r, direction += rank) {
    const double weight = row_precision_ * (rows.weights.empty() ? 1 : rows.weights[r]);
    const double eta = rows.offsets[r] + inner(direction, e.data(), rank);
    loss += weight * Formulas::at(eta, rows.outcomes[r]).loss;
  }
  return loss;
}

// Adds the curvatures of two rows at a time, which halves the loads and stores of the precision.
void UnitPosterior::add_curvature(const UnitRows& rows) {
  const std::size_t rank = mean_.size();
  const double* direction = rows.directions.data();
  std::size_t r = 0;
  for (; r + 1 < rows.size(); r += 2, direction += 2 * rank) {
    const double* other = direction + rank;
    double* entries = precision_.data();
    for (std::size_t i = 0; i < rank; entries += ++i) {
      const double one = curvatures_[r] * direction[i];
      const double two = curvatures_[r + 1] * other[i];
      for (std::size_t j = 0; j <= i; ++j) entries[j] += one * direction[j] + two * other[j];
    }
  }
  if (r == rows.size()) return;
  double* entries = precision_.data();
  for (std::size_t i = 0; i < rank; entries += ++i) {
    const double one = curvatures_[r] * direction[i];
    for (std::size_t j = 0; j <= i; ++j) entries[j] += one * direction[j];
  }
}

void UnitPosterior::add_sites(const UnitRows& rows, std::span<const double> at, double sign,
                              std::span<double> precision, std::span<double> information) const {
  const std::size_t rank = at.size();
  const double* direction = rows.directions.data();
  for (std::size_t r = 0; r < rows.size(); ++r, direction += rank) {
    const double weight = sign * row_precision_ * (rows.weights.empty() ? 1 : rows.weights[r]);
    const double along = inner(direction, at.data(), rank);
    const double eta = rows.offsets[r] + along;
    const double curvature = weight * family_.curvature(eta);
    const double push = curvature * along - weight * family_.slope(eta, rows.outcomes[r]);
    double* entries = precision.data();
    for (std::size_t i = 0; i < rank; entries += ++i) {
      information[i] += push * direction[i];
      for (std::size_t j = 0; j <= i; ++j) entries[j] += curvature * direction[i] * direction[j];
    }
  }
}

// Replaces the trial point by one on the way to it at which the loss is sufficiently smaller.
template <class Formulas>
void UnitPosterior::shorten_step(const NaturalNormal& prior, const UnitRows& rows,
                                 double decrement) {
  const double loss = loss_at<Formulas>(prior, rows, mean_);
  double size = 1;
  for (int halving = 0; halving < kMostHalvings; ++halving, size *= 0.5) {
    for (std::size_t i = 0; i < mean_.size(); ++i) trial_[i] = mean_[i] - size * step_[i];
    if (loss_at<Formulas>(prior, rows, trial_) <= loss - kSufficient * size * decrement) break;
  }
  differentiate<Formulas>(prior, rows, trial_);
}

template <class Formulas>
bool UnitPosterior::run(const NaturalNormal& prior, const UnitRows& rows) {
  const std::size_t rank = mean_.size();
  if (rank == 0 || rows.size() == 0) return true;
  differentiate<Formulas>(prior, rows, mean_);
  for (int step = 0; step < kMostSteps; ++step) {
    std::ranges::copy(prior.precision, precision_.begin());
    add_curvature(rows);
    std::ranges::copy(precision_, factor_.begin());
    if (!factorize_packed(factor_, rank)) return false;
    std::ranges::copy(gradient_, step_.begin());
    solve_packed(factor_, step_);
    // This is the squared length of the step in standard errors.
    const double decrement = inner(gradient_.data(), step_.data(), rank);
    if (!std::isfinite(decrement)) return false;
    for (std::size_t i = 0; i < rank; ++i) trial_[i] = mean_[i] - step_[i];
    const bool converged = decrement <= kSmallDecrement || family_ == OutputFamily::kGaussian;
    if (!converged) {
      // The loss is convex along the step. It falls at the rate `decrement` where the step begins,
      // and rises at the rate `rise` where the step ends. Unless it rises steeply there, the step is
      // good, and the loss itself, which costs a logarithm per row, need not be computed.
      differentiate<Formulas>(prior, rows, trial_);
      const double rise = -inner(gradient_.data(), step_.data(), rank);
      if (!(rise <= kSteep * decrement)) shorten_step<Formulas>(prior, rows, decrement);
    }
    std::swap(mean_, trial_);
    if (converged) return true;
  }
  return true;
}

}  // namespace otss::internal
