// The loss of one row and its derivatives, in f32 or f64. A lane of a warp computes this for its row.
#pragma once

#include <type_traits>

namespace otss::internal::cuda {

// A sum that keeps what rounding took from it (Kahan).
struct CarefulSum {
  float sum = 0, lost = 0;

  __device__ void add(float value) {
    const float next = value - lost;
    const float total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  __device__ double value() const { return static_cast<double>(sum) - lost; }
};

// Returns log(1 + t) for 0 <= t <= 1, with an error of at most 2e-7 of the result.
__device__ inline float log_one_plus(float t) {
  float sum = -0.003256378462538123F;
  sum = fmaf(sum, t, 0.019907159730792046F);
  sum = fmaf(sum, t, -0.057064201682806015F);
  sum = fmaf(sum, t, 0.10614264756441116F);
  sum = fmaf(sum, t, -0.15311862528324127F);
  sum = fmaf(sum, t, 0.19678117334842682F);
  sum = fmaf(sum, t, -0.24954558908939362F);
  sum = fmaf(sum, t, 0.33330005407333374F);
  sum = fmaf(sum, t, -0.4999990463256836F);
  return t * fmaf(sum, t, 1.0F);
}

// In f64, a plain sum is precise enough.
struct PlainSum {
  double sum = 0;

  __device__ void add(double value) { sum += value; }
  __device__ double value() const { return sum; }
};

template <class Real>
using LossSum = std::conditional_t<std::is_same_v<Real, float>, CarefulSum, PlainSum>;

// In f32, the card's own instructions are precise enough.
__device__ inline float exponential(float x) { return __expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float quotient(float a, float b) { return __fdividef(a, b); }
__device__ inline double quotient(double a, double b) { return a / b; }
__device__ inline double log_one_plus(double t) { return log1p(t); }

// Replaces the 2K values of a row by the derivatives of its loss, and adds the loss to `losses`. The
// outcomes are 0 or 1. The formulas are those of cpu/isa/mixture_kernel.cpp.
template <int K, class Real>
__device__ void mix(float signed_weight, Real (&values)[2 * K], LossSum<Real>& losses) {
  Real* const context = values;
  Real* const expert = values + K;
  Real largest = 0;  // the last expert has gate score 0
#pragma unroll
  for (int k = 0; k + 1 < K; ++k) largest = fmax(largest, context[k]);
  Real share[K];
  Real total = 0, mean = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    share[k] = exponential((k + 1 < K ? context[k] : Real(0)) - largest);
    total += share[k];
    mean = fma(share[k], expert[k], mean);
  }
  const Real scale = quotient(Real(1), total);
  mean *= scale;
  const Real eta = context[K - 1] + mean;

  const Real weight = fabs(Real(signed_weight));
  const Real margin = copysign(Real(1), Real(signed_weight)) * eta;
  const Real tail = exponential(-fabs(margin));
  losses.add(weight * (fmax(-margin, Real(0)) + log_one_plus(tail)));
  const Real by_eta = -Real(signed_weight) * quotient(margin > 0 ? tail : Real(1), Real(1) + tail);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const Real by_expert = by_eta * share[k] * scale;
    if (k + 1 < K) context[k] = by_expert * (expert[k] - mean);
    expert[k] = by_expert;
  }
  context[K - 1] = by_eta;
}

}  // namespace otss::internal::cuda
