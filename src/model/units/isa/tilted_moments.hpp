// The moments of s, which has a normal distribution times the likelihood of one row, for several
// units at a time. A lane is a unit. Only source files in an isa/ folder may include this header.
#pragma once

#include <cmath>

#include "model/maps/isa/vector.hpp"
#include "model/maps/isa/vector_exp.hpp"
#include "model/maps/isa/vector_log.hpp"

namespace otss::internal {
namespace {

constexpr double kRootTwoPi = 2.50662827463100050242;

inline bool any(Words mask) {
  std::uint64_t all = 0;
  for (int lane = 0; lane < kLanes; ++lane) all |= mask[lane];
  return all != 0;
}

inline Vector root(Vector x) {
  Vector result;
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = std::sqrt(x[lane]);
  return result;
}
inline Vector absolute(Vector x) { return x < 0 ? -x : x; }

// A row of each unit, and the normal distribution of s.
struct TiltedRow {
  Vector eta, outcome, weight;  // the likelihood is exp(-weight × loss(eta + s))
  Vector mean, variance;        // of the normal distribution
  Vector guess;                 // a guess of the mode
};

struct TiltedMoments {
  Vector mean, variance;
  // The mean of the likelihood is mass × exp(log_unit).
  Vector mass, log_unit;
  Vector mean_outcome;  // the mean of the family's mean at eta + s
};

// Two numbers between which the mode of the density of s is.
struct Bracket {
  Vector lo, hi;
};

// The families. Since the slope of the negative log density is 0 at the mode,
// mode = mean - variance × weight × (the mean outcome at the mode - outcome).
struct BernoulliLanes {
  static Vector mean(Vector eta) { return 1 / (1 + exp_up_to_700(-eta)); }
  static Vector curvature(Vector mean) { return mean * (1 - mean); }
  // The mean outcome is between 0 and 1.
  static Bracket bracket(const TiltedRow& row) {
    const Vector pull = row.variance * row.weight;
    return {row.mean - pull * (1 - row.outcome), row.mean + pull * row.outcome};
  }
  static Vector loss(Vector eta, Vector outcome) {
    const Vector margin = outcome > 0.5 ? eta : -eta;
    return larger(-margin, Vector{}) + log_of_positive(1 + exp_of_nonpositive(-absolute(margin)));
  }
};

struct PoissonLanes {
  static Vector mean(Vector eta) { return exp_up_to_700(eta); }
  static Vector curvature(Vector mean) { return mean; }
  // If the mode is below the s at which the mean outcome is the outcome, or 1 for an outcome of 0,
  // then the mode is at least mean - variance × weight. It is not above both this s and `mean`.
  static Bracket bracket(const TiltedRow& row) {
    const Vector at_outcome = log_of_positive(larger(row.outcome, broadcast(1))) - row.eta;
    return {smaller(at_outcome, row.mean - row.variance * row.weight),
            row.outcome > 0 ? larger(row.mean, at_outcome) : row.mean};
  }
  static Vector loss(Vector eta, Vector outcome) { return mean(eta) - outcome * eta; }
};

struct GaussianLanes {
  static Vector mean(Vector eta) { return eta; }
  static Vector loss(Vector eta, Vector outcome) { return 0.5 * (eta - outcome) * (eta - outcome); }
};

// The mode of the density of s, approximately. The curvature is that of the negative log density
// near the mode; it is NaN if the mode was not found.
struct Mode {
  Vector at, curvature;
};

// The slope of the negative log density grows with s, so that Newton's method can stay inside a
// bracket. Every kHalvingStep steps the bracket is halved, because Newton's method is slow where the
// mean outcome grows exponentially.
template <class Family>
inline Mode mode_of(const TiltedRow& row) {
  constexpr int kMostSteps = 100;
  constexpr int kHalvingStep = 6;
  constexpr double kClose = 1e-2;  // the square of the distance, in units of 1 / curvature
  const Vector precision = 1 / row.variance;
  auto [lo, hi] = Family::bracket(row);
  Mode mode{smaller(larger(row.guess, lo), hi), precision};
  Words moving = row.weight > 0;
  for (int step = 0; step < kMostSteps && any(moving); ++step) {
    const Vector mean = Family::mean(row.eta + mode.at);
    const Vector slope = row.weight * (mean - row.outcome) + precision * (mode.at - row.mean);
    mode.curvature = moving ? row.weight * Family::curvature(mean) + precision : mode.curvature;
    lo = slope < 0 ? mode.at : lo;
    hi = slope < 0 ? hi : mode.at;
    Vector next = mode.at - slope / mode.curvature;
    const Words inside = (next >= lo) & (next <= hi);
    next = inside && step % kHalvingStep != kHalvingStep - 1 ? next : 0.5 * (lo + hi);
    const Vector move = next - mode.at;
    mode.at = moving ? next : mode.at;
    moving &= ~Words(move * move * mode.curvature < kClose);
  }
  mode.curvature = moving ? broadcast(NAN) : mode.curvature;
  return mode;
}

// Sums of density × 1, t, t² and the mean outcome over the nodes mode + t.
struct LaneSums {
  Vector mass, first, second, outcome;

  void add(Vector density, Vector t, Vector mean_outcome) {
    mass += density;
    first += density * t;
    second += density * t * t;
    outcome += density * mean_outcome;
  }

  // `log_unit` is the logarithm of the density that has the value 1 in the sums.
  TiltedMoments moments(Vector mode, Vector step, Vector log_unit, Vector variance) const {
    const Vector shift = first / mass;
    return {mode + shift, second / mass - shift * shift,
            mass * step / (kRootTwoPi * root(variance)), log_unit, outcome / mass};
  }
};

// The moments of a 0/1 outcome with weight 1. The integrals are sums over equally spaced nodes (the
// trapezoidal rule), which converge exponentially for these smooth densities. With the steps below
// the relative error is about 1e-6; the logistic function limits the step, because it has a pole at
// the distance pi from the real line. With equal steps, the normal density and the odds follow
// from their values at the previous node by multiplications, so that no node needs an exponential
// function.
inline TiltedMoments logistic_moments(const TiltedRow& row) {
  constexpr double kLongestStep = 1.1;
  constexpr double kStepInDeviations = 0.9;
  constexpr double kReach = 5.25;  // in standard deviations, from the mode
  // Where the probability of the outcome is below exp(-kLargestMargin), it is an exponential
  // function of s, and a shift of s changes the density only by a factor.
  constexpr double kLargestMargin = 200;
  constexpr double kLargestOdds = 1e300;
  const Vector mode = mode_of<BernoulliLanes>(row).at;
  const Vector precision = 1 / row.variance;
  const Vector deviation = root(row.variance);
  const Vector step = smaller(kStepInDeviations * deviation, broadcast(kLongestStep));
  const Vector side = kReach * deviation / step;  // nodes on each side of the mode
  const Vector sign = row.outcome > 0.5 ? broadcast(1) : broadcast(-1);
  const Vector from_mean = mode - row.mean;

  const Vector curved = 0.5 * precision * step * step;
  const Vector tilted = precision * step * from_mean;
  const Vector ratio_of_ratios = exp_of_nonpositive(-2 * curved);
  const Vector odds_ratio = exp_up_to_700(-sign * step);
  const Vector margin = sign * (row.eta + mode);
  const Vector near_margin = larger(margin, broadcast(-kLargestMargin));
  const Vector odds_at_mode = exp_up_to_700(-near_margin);
  const Vector hit_at_mode = 1 / (1 + odds_at_mode);
  // Index 0 is the side above the mode, index 1 the side below.
  Vector ratio[2] = {exp_up_to_700(-tilted - curved), exp_up_to_700(tilted - curved)};
  const Vector factor[2] = {odds_ratio, 1 / odds_ratio};
  Vector odds[2] = {odds_at_mode, odds_at_mode};
  Vector density[2] = {broadcast(1), broadcast(1)};
  LaneSums sums{broadcast(1), Vector{}, Vector{}, hit_at_mode};
  Vector t = step;
  Words inside = side > 0;
  for (double node = 1; any(inside); node += 1, t += step, inside = node < side + 1) {
    for (const int i : {0, 1}) {
      const Vector before = 1 + odds[i];
      odds[i] = smaller(odds[i] * factor[i], broadcast(kLargestOdds));
      const Vector hit = 1 / (1 + odds[i]);
      density[i] *= ratio[i] * (before * hit);
      ratio[i] *= ratio_of_ratios;
      sums.add(inside ? density[i] : Vector{}, i == 0 ? t : -t, hit);
    }
  }
  const Vector log_unit = margin - near_margin - 0.5 * precision * from_mean * from_mean;
  TiltedMoments moments = sums.moments(mode, step, log_unit, row.variance);
  moments.mass *= hit_at_mode;
  moments.mean_outcome = sign > 0 ? moments.mean_outcome : 1 - moments.mean_outcome;
  return moments;
}

// Integrates over s from the mode outwards, until the density is negligible.
template <class Family>
inline TiltedMoments by_quadrature(const TiltedRow& row) {
  constexpr double kLongestStep = 0.55;
  constexpr double kStepInDeviations = 0.5;
  constexpr double kNegligible = -23;  // exp(-23) is 1e-10
  constexpr int kMostNodes = 2000;
  const Mode mode = mode_of<Family>(row);
  const Vector precision = 1 / row.variance;
  const Vector step = smaller(kStepInDeviations / root(mode.curvature), broadcast(kLongestStep));
  const auto log_density = [&](Vector s) {
    return -row.weight * Family::loss(row.eta + s, row.outcome) -
           0.5 * precision * (s - row.mean) * (s - row.mean);
  };
  const Vector log_unit = log_density(mode.at);
  LaneSums sums{broadcast(1), Vector{}, Vector{}, Family::mean(row.eta + mode.at)};
  for (const double direction : {-1.0, 1.0}) {
    Words inside = row.weight > 0;
    for (int k = 1; k < kMostNodes && any(inside); ++k) {
      const Vector t = direction * k * step;
      const Vector relative = log_density(mode.at + t) - log_unit;
      inside &= Words(relative > kNegligible);
      sums.add(inside ? exp_up_to_700(relative) : Vector{}, t, Family::mean(row.eta + mode.at + t));
    }
  }
  return sums.moments(mode.at, step, log_unit, row.variance);
}

inline TiltedMoments tilted_moments(BernoulliLanes, const TiltedRow& row) {
  const Words plain = row.weight == 1;
  const Words weighted = (row.weight > 0) & ~plain;
  if (!any(weighted)) return logistic_moments(row);
  const TiltedMoments slow = by_quadrature<BernoulliLanes>(row);
  if (!any(plain)) return slow;
  const TiltedMoments fast = logistic_moments(row);
  return {plain ? fast.mean : slow.mean, plain ? fast.variance : slow.variance,
          plain ? fast.mass : slow.mass, plain ? fast.log_unit : slow.log_unit,
          plain ? fast.mean_outcome : slow.mean_outcome};
}

inline TiltedMoments tilted_moments(PoissonLanes, const TiltedRow& row) {
  return by_quadrature<PoissonLanes>(row);
}

inline TiltedMoments tilted_moments(GaussianLanes, const TiltedRow& row) {
  const Vector shrink = 1 / (1 + row.weight * row.variance);
  const Vector residual = row.outcome - row.eta - row.mean;
  const Vector mean = row.mean + shrink * row.weight * row.variance * residual;
  return {mean, shrink * row.variance, root(shrink),
          -0.5 * row.weight * shrink * residual * residual, row.eta + mean};
}

}  // namespace
}  // namespace otss::internal
