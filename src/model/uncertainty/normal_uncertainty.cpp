#include "model/uncertainty/normal_uncertainty.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

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

// Computes R R' of a matrix R with rows of `rank` entries. `out` is rows × rows.
void products_of_rows(std::span<const double> matrix, std::size_t rank, std::span<double> out) {
  const std::size_t num_rows = matrix.size() / rank;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (std::size_t j = 0; j < num_rows; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rank; ++r) sum += matrix[i * rank + r] * matrix[j * rank + r];
      out[i * num_rows + j] = sum;
    }
  }
}

}  // namespace

NormalUncertainty::NormalUncertainty(std::shared_ptr<const SoftMixture> mixture, Factor weights,
                                     Factor baseline)
    : mixture_(std::move(mixture)),
      size_{num_gate_columns(mixture_->num_contexts(), is_quadratic(*mixture_)),
            mixture_->num_factors(), mixture_->num_experts()},
      factor_(std::move(weights)),
      baseline_(std::move(baseline)) {
  assert(factor_.rank >= 1 && factor_.rows.size() == size_.size() * factor_.rank);
  assert(baseline_.rows.empty() || baseline_.rank >= factor_.rank);
  assert(baseline_.rows.empty() || baseline_.rows.size() == size_.baseline_size() * baseline_.rank);
  const std::size_t num_factors = size_.num_factors;
  normals_ = exact_normals(std::max(kNormalDraws, 2 * (num_factors + 1)), num_factors + 1);
}

int NormalUncertainty::num_draws() const {
  return static_cast<int>(normals_.size() / (size_.num_factors + 1));
}

std::vector<double> NormalUncertainty::spread_of_scores(std::span<const double> columns) const {
  const std::size_t rank = factor_.rank;
  std::vector<double> spread(size_.num_experts * rank, 0.0);
  for (int k = 0; k + 1 < size_.num_experts; ++k) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto row = row_of(size_.gate(k) + i);
      for (std::size_t r = 0; r < rank; ++r) spread[k * rank + r] += columns[i] * row[r];
    }
  }
  return spread;
}

// The covariance of w(x) is (dw / dtheta) F F' (dw / dtheta)', where theta are the parameters. Let
// F_k be the rows of F that belong to D_k (mixture_size.hpp explains D_k). Let c be the gate's
// columns, and y_k = [c, 1]'F_k. Since
//
//   dw_j / dD_k = alpha_k (beta_kj - w_j) [c, 1],
//
// each row of (dw / dtheta) F is a weighted sum of the K - 1 vectors y_k and of K rows of F.
std::vector<double> NormalUncertainty::spread_of_weights(std::span<const double> x) const {
  const std::size_t num_factors = size_.num_factors;
  const std::size_t rank = factor_.rank;
  std::vector<double> columns = gate_columns(x, is_quadratic(*mixture_));
  columns.push_back(1);
  const std::vector<double> scores = spread_of_scores(columns);
  std::vector<double> alpha(size_.num_experts);
  std::vector<double> w(num_factors);
  std::vector<double> spread(num_factors * rank, 0.0);
  mixture_->shares(x, alpha);
  mixture_->weights(x, w);
  for (int k = 0; k < size_.num_experts; ++k) {
    const auto expert = mixture_->expert(k);
    for (std::size_t j = 0; j < num_factors; ++j) {
      const auto row = row_of(size_.expert(k) + j);
      for (std::size_t r = 0; r < rank; ++r) {
        spread[j * rank + r] += alpha[k] * ((expert[j] - w[j]) * scores[k * rank + r] + row[r]);
      }
    }
  }
  return spread;
}

void NormalUncertainty::covariance(std::span<const double> x, std::span<double> out) const {
  products_of_rows(spread_of_weights(x), factor_.rank, out);
}

// The linear predictor of expert k is eta_k = s'c + e_k + beta_k'z, where s are the baseline's slopes
// and c are the gate's columns; its gate score is D_k'[c, 1] (mixture_size.hpp explains e_k and
// D_k). Let g_k and h_k be the derivatives of eta with respect to this score and to eta_k, and h the
// sum of the h_k. Then
//
//   d eta / dD_k = g_k [c, 1],   d eta / dbeta_k = h_k z,   d eta / de_k = h_k,   d eta / ds = h c
std::vector<double> NormalUncertainty::spread_of_predictor(std::span<const double> columns,
                                                           std::span<const double> centered_z,
                                                           const ExpertEffects& effects) const {
  const std::size_t rank = factor_.rank;
  std::vector<double> of_eta(baseline_.rank, 0.0);  // (d eta / dtheta) F
  const std::vector<double> scores = spread_of_scores(columns);
  for (std::size_t i = 0; i < scores.size(); ++i)
    of_eta[i % rank] += effects.by_score[i / rank] * scores[i];
  double all = 0;  // the derivative with respect to a shift of every eta_k
  for (int k = 0; k < size_.num_experts; ++k) {
    all += effects.by_predictor[k];
    for (std::size_t j = 0; j < centered_z.size(); ++j) {
      const auto row = row_of(size_.expert(k) + j);
      for (std::size_t r = 0; r < rank; ++r)
        of_eta[r] += effects.by_predictor[k] * centered_z[j] * row[r];
    }
  }
  const std::size_t baseline_rank = baseline_.rank;
  for (std::size_t i = 0; i < baseline_.rows.size(); ++i) {
    const std::size_t parameter = i / baseline_rank;
    const std::size_t slopes = size_.num_columns;
    const double derivative =
        parameter < slopes ? all * columns[parameter] : effects.by_predictor[parameter - slopes];
    of_eta[i % baseline_rank] += derivative * baseline_.rows[i];
  }
  return of_eta;
}

Bounds NormalUncertainty::predictor_interval(std::span<const double> x,
                                             std::span<const double> centered_z,
                                             const ExpertEffects& effects, double level) const {
  assert(knows_baseline());
  std::vector<double> columns = gate_columns(x, is_quadratic(*mixture_));
  columns.push_back(1);
  const std::vector<double> of_eta = spread_of_predictor(columns, centered_z, effects);
  double variance = 0;
  for (const double value : of_eta) variance += value * value;
  const double half = normal_quantile(0.5 + 0.5 * level) * std::sqrt(variance);
  return {-half, half};
}

double NormalUncertainty::expert_error(int k, int j) const {
  const auto row = row_of(size_.expert(k) + j);
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

void NormalUncertainty::combined_departures(std::span<const double> x,
                                            std::span<const double> coefficients,
                                            std::span<double> out) const {
  const std::size_t num_factors = size_.num_factors;
  const std::size_t p = num_contexts();
  std::vector<double> spread(num_factors * factor_.rank, 0.0);
  for (std::size_t row = 0; row < coefficients.size(); ++row) {
    const std::vector<double> of_row = spread_of_weights(x.subspan(row * p, p));
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] += coefficients[row] * of_row[i];
  }
  std::vector<double> matrix(num_factors * num_factors);
  products_of_rows(spread, factor_.rank, matrix);
  const std::vector<double> lower = cholesky(matrix, num_factors);
  const double* normals = normals_.data();
  for (std::size_t first = 0; first < out.size(); first += num_factors) {
    for (std::size_t j = 0; j < num_factors; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += lower[j * num_factors + k] * normals[k];
      out[first + j] = sum;
    }
    normals += num_factors + 1;
  }
}

// The baseline is the last of the J + 1 variables of the Cholesky decomposition, so that the weights
// get the draws that departures() gives them.
void NormalUncertainty::joint_departures(std::span<const double> x, const ExpertEffects& effects,
                                         std::span<double> out) const {
  const std::size_t num_factors = size_.num_factors;
  const std::size_t size = num_factors + 1;
  std::vector<double> columns = gate_columns(x, is_quadratic(*mixture_));
  columns.push_back(1);
  const std::vector<double> of_weights = spread_of_weights(x);
  const std::size_t rank = factor_.rank;
  const std::size_t width = std::max<std::size_t>(rank, baseline_.rank);
  std::vector<double> rows(size * width, 0.0);
  for (std::size_t j = 0; j < num_factors; ++j)
    std::copy_n(of_weights.begin() + j * rank, rank, rows.begin() + j * width);
  if (knows_baseline()) {
    const std::vector<double> no_factors(num_factors, 0.0);
    std::ranges::copy(spread_of_predictor(columns, no_factors, effects),
                      rows.begin() + num_factors * width);
  }
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      matrix[i * size + j] = std::inner_product(
          rows.begin() + i * width, rows.begin() + (i + 1) * width, rows.begin() + j * width, 0.0);
  }
  const std::vector<double> lower = cholesky(matrix, size);
  for (std::size_t first = 0; first < out.size(); first += size) {
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += lower[j * size + k] * normals_[first + k];
      out[first + (j + 1) % size] = sum;
    }
  }
}

void NormalUncertainty::interval_of_each(std::span<const double> departures, double level,
                                         std::span<double> lo, std::span<double> hi) const {
  const double z = normal_quantile(0.5 + 0.5 * level);
  // exact_normals returns draws with exact variances, so the standard deviations computed here are
  // exact too.
  const std::vector<double> sizes = column_sizes(departures, lo.size());
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    lo[j] = -z * sizes[j];
    hi[j] = z * sizes[j];
  }
}

}  // namespace otss::internal
