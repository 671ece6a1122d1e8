#include "model/units/unit_moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "model/family_formulas.hpp"

namespace otss::internal {
namespace {

// Integrals over s are sums over equally spaced nodes (the trapezoidal rule), which converge
// exponentially for these smooth densities. With steps of at most kLongestStep, and of at most
// kStepInDeviations standard deviations, the relative error for 0/1 outcomes is about 1e-6.
// The logistic function limits the step, because it has a pole at the distance pi from the real
// line.
constexpr double kLongestStep = 1.1;
constexpr double kStepInDeviations = 0.9;
// Steps of other densities, in standard deviations of the normal density with the same curvature at
// the mode.
constexpr double kShortStep = 0.5;
// The density beyond this many standard deviations of the normal distribution is neglected. The
// distance is measured from the mode.
constexpr double kReach = 5.25;

// The posterior has converged when a visit moves the mean and the log variance of every s by less
// than this, where the mean is measured in standard deviations of s.
constexpr double kConvergedMove = 1e-4;
constexpr int kMostSweeps = 30;

// Returns the mode of the density. The slope of the negative log density grows with s, so that the
// mode is between `mean` and the point where the slope of the normal distribution alone balances the
// slope of the loss at `mean`. A count has its lowest loss at log(count) - eta, and the mode is not
// beyond that point either. Newton's method stays inside this bracket. Every kHalvingStep steps the
// bracket is halved, because Newton's method moves by at most 1 where the mean grows exponentially.
template <class Formulas>
double mode_of(double eta, double outcome, double weight, double mean, double variance) {
  constexpr int kMostSteps = 100;
  constexpr int kHalvingStep = 6;
  constexpr double kClose = 1e-3;  // the square of the distance, in units of 1 / curvature
  const double precision = 1 / variance;
  double s = mean;
  double lo = mean;
  double hi = mean;
  for (int step = 0; step < kMostSteps; ++step) {
    const double slope =
        weight * Formulas::template at<double>(eta + s, outcome).slope + precision * (s - mean);
    const double curvature = weight * Formulas::curvature(eta + s) + precision;
    if (step == 0) (slope < 0 ? hi : lo) = mean - variance * slope;
    if (step == 0 && std::is_same_v<Formulas, PoissonFormulas> && outcome > 0)
      (slope < 0 ? hi : lo) = std::log(outcome) - eta;
    (slope < 0 ? lo : hi) = s;
    double next = s - slope / curvature;
    if (!(next >= lo && next <= hi) || step % kHalvingStep == kHalvingStep - 1)
      next = 0.5 * (lo + hi);
    const double move = next - s;
    s = next;
    if (move * move * curvature < kClose) break;
  }
  return s;
}

// Sums of density × 1, t, t² and a function of the outcome over the nodes mode + t.
struct NodeSums {
  double mass = 0, first = 0, second = 0, outcome = 0;

  void add(double density, double t, double value) {
    mass += density;
    first += density * t;
    second += density * t * t;
    outcome += density * value;
  }

  // `log_unit` is the logarithm of the density that has the value 1 in the sums.
  RowMoments moments(double mode, double step, double log_unit, double variance) const {
    const double shift = first / mass;
    return {log_unit + std::log(mass * step) - 0.5 * std::log(2 * M_PI * variance), mode + shift,
            second / mass - shift * shift, outcome / mass};
  }
};

// The moments of a 0/1 outcome with weight 1. With equal steps, the normal density and the odds
// follow from their values at the previous node by a multiplication, so that no node needs an
// exponential function.
RowMoments logistic_moments(double eta, double outcome, double mean, double variance) {
  const double precision = 1 / variance;
  const double mode = mode_of<BernoulliFormulas>(eta, outcome, 1, mean, variance);
  const double deviation = std::sqrt(variance);
  const double step = std::min(kStepInDeviations * deviation, kLongestStep);
  const int side = static_cast<int>(std::ceil(kReach * deviation / step));
  const double sign = outcome > 0.5 ? 1 : -1;
  const double first = -side * step;
  const double from_mean = mode + first - mean;
  // The density of node k is normal_k / (1 + odds_k), where odds = exp(-margin).
  const double log_unit = -0.5 * precision * (mode - mean) * (mode - mean);
  double normal = std::exp(-0.5 * precision * from_mean * from_mean - log_unit);
  double ratio = std::exp(-precision * step * (from_mean + 0.5 * step));
  const double ratio_of_ratios = std::exp(-precision * step * step);
  double odds = std::exp(std::min(700.0, -sign * (eta + mode + first)));
  const double odds_ratio = std::exp(-sign * step);
  NodeSums sums;
  for (int k = 0; k <= 2 * side; ++k) {
    const double hit = 1 / (1 + odds);
    sums.add(normal * hit, first + k * step, hit);
    normal *= ratio;
    ratio *= ratio_of_ratios;
    odds *= odds_ratio;
  }
  RowMoments moments = sums.moments(mode, step, log_unit, variance);
  if (sign < 0) moments.mean_outcome = 1 - moments.mean_outcome;
  return moments;
}

// Integrates over s from the mode outwards, until the density is negligible.
template <class Formulas>
RowMoments by_quadrature(double eta, double outcome, double weight, double mean, double variance) {
  constexpr double kNegligible = -23;  // exp(-23) is 1e-10
  constexpr int kMostNodes = 2000;
  const double precision = 1 / variance;
  const double mode = mode_of<Formulas>(eta, outcome, weight, mean, variance);
  const double curvature = weight * Formulas::curvature(eta + mode) + precision;
  const double step = kShortStep * std::min(1 / std::sqrt(curvature), kLongestStep);
  const auto log_density = [&](double s, double loss) {
    return -weight * loss - 0.5 * precision * (s - mean) * (s - mean);
  };
  const LossSlope<double> at_mode = Formulas::template at<double>(eta + mode, outcome);
  const double log_unit = log_density(mode, at_mode.loss);
  NodeSums sums;
  sums.add(1, 0, at_mode.slope);
  for (const double direction : {-1.0, 1.0}) {
    for (int k = 1; k < kMostNodes; ++k) {
      const double t = direction * step * k;
      const LossSlope<double> row = Formulas::template at<double>(eta + mode + t, outcome);
      const double relative = log_density(mode + t, row.loss) - log_unit;
      if (relative < kNegligible) break;
      sums.add(std::exp(relative), t, row.slope);
    }
  }
  RowMoments moments = sums.moments(mode, step, log_unit, variance);
  moments.mean_outcome += outcome;  // the slope is the mean minus the outcome
  return moments;
}

RowMoments gaussian_moments(double eta, double outcome, double weight, double mean,
                            double variance) {
  const double shrink = 1 / (1 + weight * variance);
  const double residual = outcome - eta - mean;
  const double posterior = mean + shrink * weight * variance * residual;
  return {0.5 * std::log(shrink) - 0.5 * weight * shrink * residual * residual, posterior,
          shrink * variance, eta + posterior};
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

RowMoments row_moments(OutputFamily family, double eta, double outcome, double weight, double mean,
                       double variance) {
  switch (family.kind()) {
    case OutputFamily::kGaussian: return gaussian_moments(eta, outcome, weight, mean, variance);
    case OutputFamily::kPoisson:
      return by_quadrature<PoissonFormulas>(eta, outcome, weight, mean, variance);
    case OutputFamily::kBernoulli: break;
  }
  if (weight == 1) return logistic_moments(eta, outcome, mean, variance);
  return by_quadrature<BernoulliFormulas>(eta, outcome, weight, mean, variance);
}

UnitMoments::UnitMoments(OutputFamily family, double noise, int rank)
    : family_(family),
      row_precision_(family == OutputFamily::kGaussian ? 1 / (noise * noise) : 1),
      rank_(rank),
      mean_(rank),
      covariance_(static_cast<std::size_t>(rank) * rank),
      information_(rank),
      product_(rank),
      factor_(static_cast<std::size_t>(rank) * rank) {}

double UnitMoments::weight(const UnitRows& rows, std::size_t row) const {
  return row_precision_ * (rows.weights.empty() ? 1 : rows.weights[row]);
}

// Replaces the precision in factor_ by its Cholesky factor.
void UnitMoments::factorise() {
  log_determinant_ = 0;
  for (std::size_t j = 0; j < rank_; ++j) {
    double* row_j = &factor_[j * rank_];
    for (std::size_t k = 0; k < j; ++k) row_j[j] -= row_j[k] * row_j[k];
    row_j[j] = std::sqrt(row_j[j]);
    log_determinant_ += 2 * std::log(row_j[j]);
    for (std::size_t i = j + 1; i < rank_; ++i) {
      double* row_i = &factor_[i * rank_];
      for (std::size_t k = 0; k < j; ++k) row_i[j] -= row_i[k] * row_j[k];
      row_i[j] /= row_j[j];
    }
  }
}

// Computes the covariance from the Cholesky factor of its inverse. Column c of the covariance solves
// two triangular systems.
void UnitMoments::invert() {
  for (std::size_t c = 0; c < rank_; ++c) {
    double* x = &covariance_[c * rank_];
    for (std::size_t i = 0; i < rank_; ++i) {
      x[i] = i == c ? 1 : 0;
      for (std::size_t k = c; k < i; ++k) x[i] -= factor_[i * rank_ + k] * x[k];
      x[i] = i < c ? 0 : x[i] / factor_[i * rank_ + i];
    }
    for (std::size_t i = rank_; i-- > 0;) {
      for (std::size_t k = i + 1; k < rank_; ++k) x[i] -= factor_[k * rank_ + i] * x[k];
      x[i] /= factor_[i * rank_ + i];
    }
  }
}

// Sets the mean and the covariance to those of N(0, I) times the sites.
void UnitMoments::start(const UnitRows& rows, std::span<const Site> sites) {
  std::ranges::fill(factor_, 0.0);
  std::ranges::fill(information_, 0.0);
  for (std::size_t i = 0; i < rank_; ++i) factor_[i * rank_ + i] = 1;
  for (std::size_t r = 0; r < sites.size(); ++r) {
    const auto direction = rows.directions.subspan(r * rank_, rank_);
    for (std::size_t i = 0; i < rank_; ++i) {
      information_[i] += sites[r].information * direction[i];
      const double scaled = sites[r].precision * direction[i];
      for (std::size_t j = 0; j <= i; ++j) factor_[i * rank_ + j] += scaled * direction[j];
    }
  }
  factorise();
  invert();
  for (std::size_t i = 0; i < rank_; ++i)
    mean_[i] = dot({&covariance_[i * rank_], rank_}, information_);
}

// Updates the site of one row, and the posterior with it. Returns how far the posterior of s moved.
double UnitMoments::visit(const UnitRows& rows, std::size_t row, Site& site) {
  const auto direction = rows.directions.subspan(row * rank_, rank_);
  for (std::size_t i = 0; i < rank_; ++i)
    product_[i] = dot({&covariance_[i * rank_], rank_}, direction);
  const double variance = dot(product_, direction);
  if (!(variance > 0)) {  // the direction is 0, so that the row says nothing about e
    mean_outcomes_[row] = family_.mean(rows.offsets[row]);
    masses_[row] = -weight(rows, row) * family_.loss(rows.offsets[row], rows.outcomes[row]);
    return 0;
  }
  const double mean = dot(mean_, direction);
  // The cavity is the posterior of s without this row.
  const double rest = 1 - site.precision * variance;
  const double cavity_variance = variance / rest;
  const double cavity_mean = (mean - variance * site.information) / rest;
  const RowMoments moments = row_moments(family_, rows.offsets[row], rows.outcomes[row],
                                         weight(rows, row), cavity_mean, cavity_variance);
  const Site next{
      static_cast<float>(std::max(0.0, 1 / moments.variance - 1 / cavity_variance)),
      static_cast<float>(moments.mean / moments.variance - cavity_mean / cavity_variance)};
  const double more_precision = static_cast<double>(next.precision) - site.precision;
  const double more_information = static_cast<double>(next.information) - site.information;
  const double scale = 1 / (1 + more_precision * variance);
  const double shift = scale * (more_information - more_precision * mean);
  for (std::size_t i = 0; i < rank_; ++i) {
    mean_[i] += shift * product_[i];
    const double factor = more_precision * scale * product_[i];
    for (std::size_t j = 0; j < rank_; ++j) covariance_[i * rank_ + j] -= factor * product_[j];
  }
  site = next;
  mean_outcomes_[row] = moments.mean_outcome;
  // The site times this factor has the same mean over the cavity as the likelihood of the row.
  const double precision = 1 / cavity_variance + next.precision;
  const double information = cavity_mean / cavity_variance + next.information;
  masses_[row] =
      moments.log_mass + 0.5 * std::log(precision * cavity_variance) -
      0.5 * (information * information / precision - cavity_mean * cavity_mean / cavity_variance);
  return std::max(std::abs(shift) * std::sqrt(variance), std::abs(std::log(scale)));
}

void UnitMoments::compute(const UnitRows& rows, std::span<Site> sites) {
  assert(rows.size() == sites.size() && rows.directions.size() == sites.size() * rank_);
  mean_outcomes_.resize(sites.size());
  masses_.resize(sites.size());
  converged_ = false;
  start(rows, sites);
  for (int sweep = 0; sweep < kMostSweeps && !converged_; ++sweep) {
    double moved = 0;
    for (std::size_t r = 0; r < sites.size(); ++r)
      moved = std::max(moved, visit(rows, r, sites[r]));
    converged_ = moved < kConvergedMove;
  }
  start(rows, sites);  // computed afresh, without the rounding errors of the updates
  log_evidence_ = 0.5 * (dot(mean_, information_) - log_determinant_);
  for (const double mass : masses_) log_evidence_ += mass;
}

}  // namespace otss::internal
