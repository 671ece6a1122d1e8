#include "model/uncertainty/normal_uncertainty.hpp"

#include <algorithm>
#include <cassert>

#include "base/normal_law.hpp"
#include "model/maps/gate_columns.hpp"
#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

// The number of draws. With so many draws, the critical value for all factors together has an error
// of about 2 %.
constexpr std::size_t kNormalDraws = 512;

bool is_quadratic(const SoftMixture& mixture) {
  return mixture.gate_kind() == GateKind::kQuadratic;
}

}  // namespace

NormalUncertainty::NormalUncertainty(std::shared_ptr<const SoftMixture> mixture,
                                     std::vector<double> factor, int rank)
    : mixture_(std::move(mixture)),
      size_{num_gate_columns(mixture_->num_contexts(), is_quadratic(*mixture_)),
            mixture_->num_factors(), mixture_->num_experts()},
      factor_(std::move(factor)),
      rank_(rank) {
  assert(rank_ >= 1 && factor_.size() == size_.size() * rank_);
  const std::size_t num_factors = size_.num_factors;
  normals_ = exact_normals(std::max(kNormalDraws, 2 * num_factors), num_factors);
}

int NormalUncertainty::num_draws() const {
  return static_cast<int>(normals_.size() / size_.num_factors);
}

// The covariance of w(x) is (dw / dtheta) F F' (dw / dtheta)'. Let F_k be the rows of F that belong
// to the gate's score of expert k, and y_k = [c, 1]'F_k, where c are the gate's columns. Since
//
//   dw_j / dD_k = alpha_k (beta_kj - w_j) [c, 1],
//
// each row of (dw / dtheta) F is a weighted sum of the K - 1 vectors y_k and of K rows of F.
void NormalUncertainty::covariance(std::span<const double> x, std::span<double> out) const {
  const std::size_t num_factors = size_.num_factors;
  const auto row_of = [&](std::size_t parameter) {
    return std::span(factor_).subspan(parameter * rank_, rank_);
  };
  std::vector<double> columns = gate_columns(x, is_quadratic(*mixture_));
  columns.push_back(1);
  std::vector<double> alpha(size_.num_experts);
  std::vector<double> w(num_factors);
  mixture_->shares(x, alpha);
  mixture_->weights(x, w);
  std::vector<double> spread(num_factors * rank_, 0.0);  // the matrix (dw / dtheta) F
  std::vector<double> by_score(rank_);
  for (int k = 0; k < size_.num_experts; ++k) {
    const auto expert = mixture_->expert(k);
    std::ranges::fill(by_score, 0.0);
    for (std::size_t i = 0; i < columns.size() && k + 1 < size_.num_experts; ++i) {
      const auto row = row_of(size_.gate(k) + i);
      for (int r = 0; r < rank_; ++r) by_score[r] += columns[i] * row[r];
    }
    for (std::size_t j = 0; j < num_factors; ++j) {
      const auto row = row_of(size_.expert(k) + j);
      for (int r = 0; r < rank_; ++r)
        spread[j * rank_ + r] += alpha[k] * ((expert[j] - w[j]) * by_score[r] + row[r]);
    }
  }
  for (std::size_t i = 0; i < num_factors; ++i) {
    for (std::size_t j = 0; j < num_factors; ++j) {
      double sum = 0;
      for (int r = 0; r < rank_; ++r) sum += spread[i * rank_ + r] * spread[j * rank_ + r];
      out[i * num_factors + j] = sum;
    }
  }
}

void NormalUncertainty::departures(std::span<const double> x, std::span<double> out) const {
  const std::size_t num_factors = size_.num_factors;
  std::vector<double> matrix(num_factors * num_factors);
  covariance(x, matrix);
  const std::vector<double> lower = cholesky(matrix, num_factors);
  for (std::size_t first = 0; first < out.size(); first += num_factors) {
    for (std::size_t j = 0; j < num_factors; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += lower[j * num_factors + k] * normals_[first + k];
      out[first + j] = sum;
    }
  }
}

void NormalUncertainty::interval_of_each(std::span<const double> departures, double level,
                                         std::span<double> lo, std::span<double> hi) const {
  const double z = normal_quantile(0.5 + 0.5 * level);
  // exact_normals returns draws with exact variances, so the standard deviations computed here are
  // exact too.
  const std::vector<double> sizes = column_sizes(departures, size_.num_factors);
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    lo[j] = -z * sizes[j];
    hi[j] = z * sizes[j];
  }
}

}  // namespace otss::internal
