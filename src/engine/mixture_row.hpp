// Computes the linear predictor eta of one row, and the derivative of eta with respect to theta.
// The code follows this formula, whose symbols mixture_layout.hpp explains:
//
//   eta = psi'[x, 1] + sum_k alpha_k(x) beta_k'[z, 1]
//
// With Mixed::kProbabilities, eta is the logit of the average of the experts' probabilities instead.
//
// gauss_newton and linear_predictors use this class; the kernels in cpu/ do not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

class MixtureRow {
 public:
  MixtureRow(const MixtureLayout& layout, std::span<const double> theta,
             Mixed mixed = Mixed::kPredictors)
      : layout_(layout),
        mixed_(mixed),
        theta_(theta.begin(), theta.end()),
        context_(layout.num_contexts + 1, 1.0),
        factors_(layout.num_factors + 1, 1.0),
        shares_(layout.num_experts),
        predictors_(layout.num_experts),
        by_score_(layout.num_experts),
        by_predictor_(layout.num_experts) {}

  // `features` points at the row inside its tile; column j of the row is features[j * kTileRows].
  void evaluate(const float* features) {
    for (int j = 0; j < layout_.num_contexts; ++j) context_[j] = features[j * kTileRows];
    features += layout_.num_contexts * kTileRows;
    for (int j = 0; j < layout_.num_factors; ++j) factors_[j] = features[j * kTileRows];

    mix_experts();
    const double baseline = dot(layout_.baseline(), context_);
    for (int k = 0; k < layout_.num_experts; ++k) predictors_[k] = dot(layout_.expert(k), factors_);
    if (mixed_ == Mixed::kPredictors) {
      eta_ = baseline + mixed_predictor(mixed_, shares_, predictors_);
      return;
    }
    for (double& predictor : predictors_) predictor += baseline;
    eta_ = mixed_predictor(mixed_, shares_, predictors_);
  }

  double eta() const { return eta_; }

  // Sets out = scale * d eta / d theta, in the order of MixtureLayout.
  void derivative(double scale, std::span<double> out) {
    expert_effects(mixed_, shares_, predictors_, by_score_, by_predictor_);
    for (int k = 0; k + 1 < layout_.num_experts; ++k)
      put(scale * by_score_[k], context_, out.subspan(layout_.gate(k)));
    double sum = 0;
    for (int k = 0; k < layout_.num_experts; ++k) {
      sum += by_predictor_[k];
      put(scale * by_predictor_[k], factors_, out.subspan(layout_.expert(k)));
    }
    const double all = mixed_ == Mixed::kPredictors ? 1 : sum;  // the shares sum to 1
    put(scale * all, context_, out.subspan(layout_.baseline()));
  }

 private:
  double dot(std::size_t begin, const std::vector<double>& values) const {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += theta_[begin + j] * values[j];
    return sum;
  }

  static void put(double scale, const std::vector<double>& values, std::span<double> out) {
    for (std::size_t j = 0; j < values.size(); ++j) out[j] = scale * values[j];
  }

  void mix_experts() {
    const int last = layout_.num_experts - 1;
    for (int k = 0; k < last; ++k) shares_[k] = dot(layout_.gate(k), context_);
    shares_[last] = 0;
    const double largest = *std::max_element(shares_.begin(), shares_.end());
    double total = 0;
    for (double& share : shares_) total += share = std::exp(share - largest);
    for (double& share : shares_) share /= total;
  }

  MixtureLayout layout_;
  Mixed mixed_;
  std::vector<double> theta_;
  std::vector<double> context_, factors_;  // [x, 1] and [z, 1]
  std::vector<double> shares_;             // alpha
  // beta_k'[z, 1]; with Mixed::kProbabilities, psi'[x, 1] is added.
  std::vector<double> predictors_;
  std::vector<double> by_score_, by_predictor_;  // see expert_effects
  double eta_ = 0;
};

}  // namespace otss::internal
