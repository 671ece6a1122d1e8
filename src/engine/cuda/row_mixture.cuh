// The loss of one row and its derivatives, in f32. A lane of a warp computes this for its row.
#pragma once

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

// Replaces the 2K values of a row by the derivatives of its loss, and adds the loss to `losses`. The
// outcomes are 0 or 1. The formulas are those of cpu/isa/mixture_kernel.cpp.
template <int K>
__device__ void mix(float signed_weight, float (&values)[2 * K], CarefulSum& losses) {
  float* const context = values;
  float* const expert = values + K;
  float largest = 0;  // the last expert has gate score 0
#pragma unroll
  for (int k = 0; k + 1 < K; ++k) largest = fmaxf(largest, context[k]);
  float share[K];
  float total = 0, mean = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    share[k] = __expf((k + 1 < K ? context[k] : 0.0F) - largest);
    total += share[k];
    mean = fmaf(share[k], expert[k], mean);
  }
  const float scale = __fdividef(1.0F, total);
  mean *= scale;
  const float eta = context[K - 1] + mean;

  const float weight = fabsf(signed_weight);
  const float margin = copysignf(1.0F, signed_weight) * eta;
  const float tail = __expf(-fabsf(margin));
  losses.add(weight * (fmaxf(-margin, 0.0F) + log_one_plus(tail)));
  const float by_eta = -signed_weight * __fdividef(margin > 0 ? tail : 1.0F, 1.0F + tail);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const float by_expert = by_eta * share[k] * scale;
    if (k + 1 < K) context[k] = by_expert * (expert[k] - mean);
    expert[k] = by_expert;
  }
  context[K - 1] = by_eta;
}

}  // namespace otss::internal::cuda
