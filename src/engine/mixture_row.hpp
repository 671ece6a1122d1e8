// Computes the linear predictor eta of one row, and the derivative of eta with respect to theta.
// The code follows this formula, whose symbols mixture_layout.hpp explains:
//
//   eta = psi'[x, 1] + sum_k alpha_k(x) beta_k'[z, 1]
//
// gauss_newton and linear_predictors use this class; the kernels in cpu/ do not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

template <class Real>
class MixtureRow {
 public:
  MixtureRow(const MixtureLayout& layout, std::span<const double> theta)
      : layout_(layout),
        theta_(theta.begin(), theta.end()),
        context_(layout.num_contexts + 1, Real(1)),
        factors_(layout.num_factors + 1, Real(1)),
        shares_(layout.num_experts),
        scores_(layout.num_experts) {}

  // `features` points at the row inside its tile; column j of the row is features[j * kTileRows].
  void evaluate(const float* features) {
    for (int j = 0; j < layout_.num_contexts; ++j) context_[j] = features[j * kTileRows];
    features += layout_.num_contexts * kTileRows;
    for (int j = 0; j < layout_.num_factors; ++j) factors_[j] = features[j * kTileRows];

    mix_experts();
    for (int k = 0; k < layout_.num_experts; ++k) scores_[k] = dot(layout_.expert(k), factors_);
    mean_score_ = 0;
    for (int k = 0; k < layout_.num_experts; ++k) mean_score_ += shares_[k] * scores_[k];
    eta_ = dot(layout_.baseline(), context_) + mean_score_;
  }

  Real eta() const { return eta_; }

  // Sets out = scale * d eta / d theta, in the order of MixtureLayout.
  void derivative(Real scale, std::span<double> out) const {
    for (int k = 0; k + 1 < layout_.num_experts; ++k) {
      put(scale * shares_[k] * (scores_[k] - mean_score_), context_, out.subspan(layout_.gate(k)));
    }
    put(scale, context_, out.subspan(layout_.baseline()));
    for (int k = 0; k < layout_.num_experts; ++k) {
      put(scale * shares_[k], factors_, out.subspan(layout_.expert(k)));
    }
  }

 private:
  Real dot(std::size_t begin, const std::vector<Real>& values) const {
    Real sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += theta_[begin + j] * values[j];
    return sum;
  }

  static void put(Real scale, const std::vector<Real>& values, std::span<double> out) {
    for (std::size_t j = 0; j < values.size(); ++j) out[j] = scale * values[j];
  }

  void mix_experts() {
    const int last = layout_.num_experts - 1;
    for (int k = 0; k < last; ++k) shares_[k] = dot(layout_.gate(k), context_);
    shares_[last] = 0;
    const Real largest = *std::max_element(shares_.begin(), shares_.end());
    Real total = 0;
    for (Real& share : shares_) total += share = std::exp(share - largest);
    for (Real& share : shares_) share /= total;
  }

  MixtureLayout layout_;
  std::vector<Real> theta_;
  std::vector<Real> context_, factors_;  // [x, 1] and [z, 1]
  std::vector<Real> shares_;             // alpha
  std::vector<Real> scores_;             // beta_k'[z, 1]
  Real mean_score_ = 0;
  Real eta_ = 0;
};

}  // namespace otss::internal
