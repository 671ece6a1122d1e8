#include "model/units/unit_moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/units/packed_cholesky.hpp"

namespace otss::internal {

UnitMoments::UnitMoments(OutputFamily family, double noise, int rank, Isa isa)
    : isa_(isa),
      family_(family),
      row_precision_(family == OutputFamily::kGaussian ? 1 / (noise * noise) : 1),
      rank_(rank),
      // One line more than needed, so that units that do not differ have memory, too.
      prior_precision_(packed_size(rank) + 1),
      prior_information_(rank + 1),
      means_(rank + 1),
      covariances_(packed_size(rank) + 1),
      factors_(packed_size(rank) + 1),
      scratch_(packed_size(rank) + rank + 1) {
  make_room(1);
  num_rows_ = 0;
}

void UnitMoments::clear() {
  num_units_ = 0;
  // Rows that a unit does not have must have the weight 0 and the direction 0.
  std::fill_n(directions_.begin(), num_rows_ * rank_, CacheLine{});
  std::fill_n(weights_.begin(), num_rows_, CacheLine{});
  std::fill_n(site_precisions_.begin(), num_rows_, CacheLine{});
  std::fill_n(site_informations_.begin(), num_rows_, CacheLine{});
  num_rows_ = 0;
}

void UnitMoments::make_room(std::size_t rows) {
  num_rows_ = std::max(num_rows_, rows);
  if (rows <= weights_.size()) return;
  directions_.resize(rows * rank_ + 1);
  for (CacheLines* lines : {&offsets_, &outcomes_, &weights_, &site_precisions_,
                            &site_informations_, &mean_outcomes_, &log_masses_})
    lines->resize(rows);
}

void UnitMoments::add(const UnitRows& rows, std::span<const Site> sites,
                      const NaturalNormal* prior) {
  assert(rows.directions.size() == rows.size() * rank_);
  begin(prior);
  make_room(rows.size());
  const std::size_t unit = num_units_ - 1;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    set_row(r, rows.directions.subspan(r * rank_, rank_), rows.offsets[r], rows.outcomes[r],
            rows.weights.empty() ? 1 : rows.weights[r]);
    if (sites.empty()) continue;
    site_precisions_[r].lanes[unit] = sites[r].precision;
    site_informations_[r].lanes[unit] = sites[r].information;
  }
}

void UnitMoments::begin(const NaturalNormal* prior) {
  assert(num_units_ < kMostUnits);
  const std::size_t unit = num_units_++;
  constants_[unit] = 0;
  for (std::size_t i = 0; i < rank_; ++i) {
    prior_information_[i].lanes[unit] = prior == nullptr ? 0 : prior->information[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t at = packed_size(i) + j;
      prior_precision_[at].lanes[unit] = prior != nullptr ? prior->precision[at] : i == j ? 1 : 0;
    }
  }
}

void UnitMoments::set_row(std::size_t row, std::span<const double> direction, double offset,
                          double outcome, double weight) {
  const std::size_t unit = num_units_ - 1;
  make_room(row + 1);
  CacheLine* const lines = directions_.data() + row * rank_;
  for (std::size_t i = 0; i < rank_; ++i) lines[i].lanes[unit] = direction[i];
  offsets_[row].lanes[unit] = offset;
  outcomes_[row].lanes[unit] = outcome;
  weights_[row].lanes[unit] = row_precision_ * weight;
  // The kernel's loss of a count is 1 if eta is 0.
  if (family_ == OutputFamily::kPoisson)
    constants_[unit] -= weights_[row].lanes[unit] * (family_.loss(0, outcome) - 1);
}

MomentsTask UnitMoments::task(bool with_evidence) {
  const auto begin_of = [](CacheLines& lines) { return lines.front().lanes; };
  return {num_units_,
          rank_,
          num_rows_,
          begin_of(directions_),
          begin_of(offsets_),
          begin_of(outcomes_),
          begin_of(weights_),
          begin_of(prior_precision_),
          begin_of(prior_information_),
          begin_of(site_precisions_),
          begin_of(site_informations_),
          begin_of(means_),
          begin_of(covariances_),
          begin_of(factors_),
          begin_of(mean_outcomes_),
          begin_of(log_masses_),
          log_evidence_.lanes,
          converged_.lanes,
          begin_of(scratch_),
          with_evidence};
}

const MomentsKernel& UnitMoments::kernel() const {
  // A division of eight lanes takes longer than one of four. The kernels of AVX2 and AVX-512 use the
  // same operations, so that a unit has bitwise the same posterior.
  constexpr std::size_t kLanesOfAvx2 = 4;
  const bool few = num_units_ <= kLanesOfAvx2;
  return moments_kernel(isa_ == Isa::kAvx512 && few ? Isa::kAvx2 : isa_);
}

void UnitMoments::compute() { compute(task(true)); }

void UnitMoments::compute_without_evidence() { compute(task(false)); }

void UnitMoments::compute(const MomentsTask& task) const {
  switch (family_.kind()) {
    case OutputFamily::kGaussian: return kernel().gaussian(task);
    case OutputFamily::kPoisson: return kernel().poisson(task);
    case OutputFamily::kBernoulli: return kernel().bernoulli(task);
  }
}

void UnitMoments::copy_mean(std::size_t unit, std::span<double> mean) const {
  for (std::size_t i = 0; i < rank_; ++i) mean[i] = means_[i].lanes[unit];
}

void UnitMoments::copy_covariance(std::size_t unit, std::span<double> covariance) const {
  for (std::size_t i = 0; i < rank_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      covariance[i * rank_ + j] = covariance[j * rank_ + i] =
          covariances_[packed_size(i) + j].lanes[unit];
    }
  }
}

void UnitMoments::copy_factor(std::size_t unit, std::span<double> factor) const {
  for (std::size_t i = 0; i < packed_size(rank_); ++i) factor[i] = factors_[i].lanes[unit];
}

Site UnitMoments::site(std::size_t unit, std::size_t row) const {
  return {site_precisions_[row].lanes[unit], site_informations_[row].lanes[unit]};
}

double UnitMoments::mean_outcome(std::size_t unit, std::size_t row) const {
  return mean_outcomes_[row].lanes[unit];
}

double UnitMoments::log_evidence(std::size_t unit) const {
  return log_evidence_.lanes[unit] + constants_[unit];
}

bool UnitMoments::converged(std::size_t unit) const { return converged_.lanes[unit] == 1; }

bool UnitMoments::is_finite(std::size_t unit) const {
  const auto finite = [unit](const CacheLine& line) { return std::isfinite(line.lanes[unit]); };
  return std::ranges::all_of(means_, finite) && std::ranges::all_of(factors_, finite);
}

}  // namespace otss::internal
