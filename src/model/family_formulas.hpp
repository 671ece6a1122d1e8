// The formulas of the output families, for one row in either precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "otss/model/output_family.hpp"

namespace otss {

template <class Real>
struct LossSlope {
  Real loss;
  Real slope;  // d loss / d eta
};

struct BernoulliFormulas {
  // With the margin m, eta signed by the outcome: softplus(-m), without overflow or cancellation.
  template <class Real>
  static LossSlope<Real> at(Real eta, Real outcome) {
    const Real sign = outcome > Real(0.5) ? Real(1) : Real(-1);
    const Real margin = sign * eta;
    const Real tail = std::exp(-std::abs(margin));
    const Real miss = (margin > 0 ? tail : Real(1)) / (1 + tail);
    return {std::max(-margin, Real(0)) + std::log1p(tail), -sign * miss};
  }
  static double curvature(double eta) {
    // p (1 - p), as t / (1 + t)² with t = exp(-|eta|), does not cancel when p is close to 1.
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
  // mu - y - y log(mu / y), with mu - y as y expm1(eta - log y): two large counts are never
  // subtracted, so that f32 sees the difference. For y = 0 it is mu.
  template <class Real>
  static LossSlope<Real> at(Real eta, Real outcome) {
    const Real base = std::max(outcome, Real(1));
    const Real excess = outcome > 1 ? eta - std::log(outcome) : eta;
    const Real miss = base * std::expm1(excess) + (base - outcome);
    return {miss - outcome * excess, miss};
  }
  static double curvature(double eta) { return mean(eta); }

  static double mean(double eta) {
    constexpr double kLargestEta = 700;  // exp() of more than 709 is no number
    return std::exp(std::min(eta, kLargestEta));
  }
};

// Calls use(formulas) with the family's own, so that loops over rows need not ask which they are.
template <class Use>
auto with_formulas(OutputFamily family, const Use& use) {
  switch (family.kind()) {
    case OutputFamily::kGaussian: return use(GaussianFormulas{});
    case OutputFamily::kPoisson: return use(PoissonFormulas{});
    case OutputFamily::kBernoulli: break;
  }
  return use(BernoulliFormulas{});
}

}  // namespace otss
