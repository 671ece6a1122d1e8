// This header has the formulas of the output families for one row, in single or double precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "otss/model/output_family.hpp"

namespace otss::internal {

template <class Real>
struct LossSlope {
  Real loss;
  Real slope;  // the derivative d loss / d eta
};

struct BernoulliFormulas {
  // loss = log(1 + exp(-margin)), with margin = eta for outcome 1 and -eta for outcome 0. The code
  // computes the loss in a form that cannot overflow and loses no digits by cancellation.
  template <class Real>
  static LossSlope<Real> at(Real eta, Real outcome) {
    const Real sign = outcome > Real(0.5) ? Real(1) : Real(-1);
    const Real margin = sign * eta;
    const Real tail = std::exp(-std::abs(margin));
    const Real miss = (margin > 0 ? tail : Real(1)) / (1 + tail);
    return {std::max(-margin, Real(0)) + std::log1p(tail), -sign * miss};
  }
  static double curvature(double eta) {
    // The variance of the outcome is p (1 - p), where p is the probability of 1. It equals t / (1 +
    // t)² with t = exp(-|eta|), a form that loses no digits when p is near 1.
    const double tail = std::exp(-std::abs(eta));
    return tail / ((1 + tail) * (1 + tail));
  }
};

struct GaussianFormulas {
  template <class Real>
  static LossSlope<Real> at(Real eta, Real outcome) {
    const Real residual = eta - outcome;
    return {Real(0.5) * residual * residual, residual};
  }
  static double curvature(double) { return 1; }
};

struct PoissonFormulas {
  // loss = mu - y - y log(mu / y) with mu = exp(eta). For y = 0, loss = mu. The difference mu - y
  // is computed as y expm1(eta - log y). Subtracting two large f32 numbers would lose the digits of
  // their difference.
  template <class Real>
  static LossSlope<Real> at(Real eta, Real outcome) {
    const Real base = std::max(outcome, Real(1));
    const Real excess = outcome > 1 ? eta - std::log(outcome) : eta;
    const Real miss = base * std::expm1(excess) + (base - outcome);
    return {miss - outcome * excess, miss};
  }
  static double curvature(double eta) { return mean(eta); }

  static double mean(double eta) {
    // A larger eta is cut to 700, because exp() overflows above 709.
    constexpr double kLargestEta = 700;
    return std::exp(std::min(eta, kLargestEta));
  }
};

// Calls use(formulas) with the formulas of the family, so that a loop over rows inside `use` does
// not branch on the family.
template <class Use>
auto with_formulas(OutputFamily family, const Use& use) {
  switch (family.kind()) {
    case OutputFamily::kGaussian: return use(GaussianFormulas{});
    case OutputFamily::kPoisson: return use(PoissonFormulas{});
    case OutputFamily::kBernoulli: break;
  }
  return use(BernoulliFormulas{});
}

}  // namespace otss::internal
