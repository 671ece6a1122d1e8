#include "model/units/deviation_basis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// A direction whose variance is a smaller share of the largest variance is rounding error.
constexpr double kRounding = 1e-10;

// The columns of L, found by the Cholesky decomposition with pivots: each step takes the direction
// of the largest variance that is left.
struct PivotedCholesky {
  std::vector<std::vector<double>> columns;
  std::vector<double> left;  // what is left of the covariance
};

PivotedCholesky decompose(std::vector<double> left, std::size_t size) {
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, left[i * size + i]);
  PivotedCholesky found;
  while (found.columns.size() < size) {
    std::size_t pivot = 0;
    for (std::size_t i = 1; i < size; ++i) {
      if (left[i * size + i] > left[pivot * size + pivot]) pivot = i;
    }
    const double variance = left[pivot * size + pivot];
    if (!(variance > kRounding * largest)) break;
    std::vector<double> column(size);
    for (std::size_t i = 0; i < size; ++i) column[i] = left[i * size + pivot] / std::sqrt(variance);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) left[i * size + j] -= column[i] * column[j];
    }
    for (std::size_t i = 0; i < size; ++i) left[i * size + pivot] = left[pivot * size + i] = 0;
    found.columns.push_back(std::move(column));
  }
  found.left = std::move(left);
  return found;
}

[[noreturn]] void refuse_deviations(const std::string& what) {
  throw Error(ErrorCode::kInput, fmt::format("the model's units {}; fit the model again", what));
}

void check_rank(const Deviations& deviations, int found, int size) {
  const int most = deviations.form == DeviationForm::kNone        ? 0
                   : deviations.form == DeviationForm::kIntercept ? 1
                                                                  : size;
  if (deviations.rank < 0 || deviations.rank > most)
    refuse_deviations(fmt::format("have rank {}, but the form {} allows at most {}",
                                  deviations.rank, word(deviations.form), most));
  if (found > deviations.rank)
    refuse_deviations(fmt::format("have a covariance of rank {}, but say that it has rank {}",
                                  found, deviations.rank));
}

void check_form(const Deviations& deviations, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double entry = deviations.covariance[i * size + j];
      const bool outside = (deviations.form == DeviationForm::kNone) ||
                           (deviations.form == DeviationForm::kIntercept && i + j > 0) ||
                           (deviations.form == DeviationForm::kDiagonal && i != j);
      if (outside && entry != 0)
        refuse_deviations(
            fmt::format("have the form {}, but their covariance has the entry {:g} "
                        "in row {}, column {}",
                        word(deviations.form), entry, i + 1, j + 1));
    }
  }
}

void check_entries(const Deviations& deviations, std::size_t size) {
  // With this limit, sums of products of entries stay finite.
  constexpr double kLargest = 1e60;
  const auto& covariance = deviations.covariance;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (!(std::abs(covariance[i * size + j]) <= kLargest))
        refuse_deviations("have a covariance with a number that is not between -1e60 and 1e60");
      if (covariance[i * size + j] != covariance[j * size + i])
        refuse_deviations("have a covariance that is not symmetric");
    }
    if (covariance[i * size + i] < 0)
      refuse_deviations(fmt::format("have a negative variance in row {}", i + 1));
  }
}

// Computes kCount coordinates of L'(1, z). `rows` points to the first of them in row 0 of L. The sums
// stay in registers.
template <int kCount>
void project_some(const double* rows, int rank, std::span<const double> z, double* direction) {
  double sums[kCount];
  std::copy_n(rows, kCount, sums);
  for (const double value : z) {
    rows += rank;
    for (int r = 0; r < kCount; ++r) sums[r] += rows[r] * value;
  }
  std::copy_n(sums, kCount, direction);
}

}  // namespace

DeviationBasis::DeviationBasis(const Deviations& deviations, int num_factors)
    : size_(1 + num_factors) {
  const std::size_t size = size_;
  const PivotedCholesky found = decompose(deviations.covariance, size);
  rank_ = static_cast<int>(found.columns.size());
  rows_.resize(size * rank_);
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    largest = std::max(largest, deviations.covariance[i * size + i]);
    for (int r = 0; r < rank_; ++r) rows_[i * rank_ + r] = found.columns[r][i];
  }
  for (const double entry : found.left) {
    if (largest > 0) remainder_ = std::max(remainder_, std::abs(entry) / largest);
    if (largest == 0 && entry != 0) remainder_ = 1;
  }
}

void DeviationBasis::project(std::span<const double> z, std::span<double> direction) const {
  constexpr int kTogether = 4;
  int first = 0;
  for (; first + kTogether <= rank_; first += kTogether)
    project_some<kTogether>(rows_.data() + first, rank_, z, direction.data() + first);
  for (; first < rank_; ++first)
    project_some<1>(rows_.data() + first, rank_, z, direction.data() + first);
}

void DeviationBasis::expand(std::span<const double> coordinates,
                            std::span<double> deviation) const {
  for (int i = 0; i < size_; ++i) {
    const std::span<const double> of_factor = row(i);
    double sum = 0;
    for (int r = 0; r < rank_; ++r) sum += of_factor[r] * coordinates[r];
    deviation[i] = sum;
  }
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

void check_deviations(const Deviations& deviations, int num_factors) {
  const std::size_t size = 1 + static_cast<std::size_t>(num_factors);
  if (deviations.covariance.size() != size * size)
    refuse_deviations(fmt::format("have a covariance with {} entries, but {} factors need {}",
                                  deviations.covariance.size(), num_factors, size * size));
  check_entries(deviations, size);
  check_form(deviations, size);
  const DeviationBasis basis(deviations, num_factors);
  constexpr double kIndefinite = 1e-8;
  if (basis.remainder() > kIndefinite)
    refuse_deviations("have a covariance that is not positive semidefinite");
  check_rank(deviations, basis.rank(), static_cast<int>(size));
}

}  // namespace otss
