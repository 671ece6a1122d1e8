// This header has the Cholesky decomposition of small symmetric matrices, and solves with it. A
// matrix is packed: its lower triangle is stored row by row, so that entry (i, j) with j <= i is at
// i (i + 1) / 2 + j. No function allocates memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace otss::internal {

constexpr std::size_t packed_size(std::size_t rank) { return rank * (rank + 1) / 2; }

// Replaces a positive definite matrix A by its lower triangular factor L, with A = L L'. Returns
// false if A is not positive definite, or has a number that is not finite.
inline bool factorize_packed(std::span<double> matrix, std::size_t rank) {
  double* row = matrix.data();
  for (std::size_t i = 0; i < rank; row += ++i) {
    const double* other = matrix.data();
    for (std::size_t j = 0; j < i; other += ++j) {
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
    }
    double sum = row[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * row[k];
    if (!(sum > 0) || !std::isfinite(sum)) return false;
    row[i] = std::sqrt(sum);
  }
  return true;
}

// Replaces b by the solution y of L y = b.
inline void solve_lower(std::span<const double> factor, std::span<double> b) {
  const double* row = factor.data();
  for (std::size_t i = 0; i < b.size(); row += ++i) {
    double sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * b[k];
    b[i] = sum / row[i];
  }
}

// Replaces b by the solution y of L'y = b.
inline void solve_upper(std::span<const double> factor, std::span<double> b) {
  for (std::size_t i = b.size(); i-- > 0;) {
    const double* row = factor.data() + packed_size(i);
    b[i] /= row[i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
}

// Replaces b by the solution y of L L'y = b.
inline void solve_packed(std::span<const double> factor, std::span<double> b) {
  solve_lower(factor, b);
  solve_upper(factor, b);
}

// Computes out = A b, where `matrix` is A itself and not its factor.
inline void multiply_packed(std::span<const double> matrix, std::span<const double> b,
                            std::span<double> out) {
  const double* row = matrix.data();
  for (std::size_t i = 0; i < b.size(); row += ++i) {
    double sum = row[i] * b[i];
    for (std::size_t k = 0; k < i; ++k) {
      sum += row[k] * b[k];
      out[k] += row[k] * b[i];
    }
    out[i] = sum;
  }
}

}  // namespace otss::internal
