#include "model/uncertainty/draws_of_weights.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/random.hpp"

namespace otss::internal {

double quantile(std::span<double> values, double p) {
  assert(!values.empty());
  std::ranges::sort(values);
  const double last = static_cast<double>(values.size()) - 1;
  const double at = std::clamp(p * (last + 2) - 1, 0.0, last);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<double> column_sizes(std::span<const double> rows, std::size_t num_columns) {
  std::vector<double> sizes(num_columns, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) sizes[i % num_columns] += rows[i] * rows[i];
  const std::size_t num_rows = rows.size() / num_columns;
  for (double& size : sizes) size = std::sqrt(size / static_cast<double>(num_rows));
  return sizes;
}

std::vector<double> exact_normals(std::size_t num_draws, std::size_t num_columns) {
  assert(num_draws % 2 == 0 && num_columns <= num_draws / 2);
  constexpr std::uint64_t kSeed = 20240229;
  Rng rng(kSeed);
  // Only half of the draws are random. The other half are the same numbers with opposite signs, so
  // that the means are 0.
  const std::size_t half = num_draws / 2;
  std::vector<std::vector<double>> columns(num_columns, std::vector<double>(half));
  for (std::size_t c = 0; c < num_columns; ++c) {
    std::vector<double>& column = columns[c];
    for (double& value : column) value = rng.normal();
    const auto dot = [&](const std::vector<double>& other) {
      double sum = 0;
      for (std::size_t i = 0; i < half; ++i) sum += column[i] * other[i];
      return sum;
    };
    for (std::size_t before = 0; before < c; ++before) {
      const double shared = dot(columns[before]) / static_cast<double>(half);
      for (std::size_t i = 0; i < half; ++i) column[i] -= shared * columns[before][i];
    }
    const double size = std::sqrt(dot(column) / static_cast<double>(half));
    for (double& value : column) value /= size;
  }
  std::vector<double> rows(num_draws * num_columns);
  for (std::size_t c = 0; c < num_columns; ++c) {
    for (std::size_t i = 0; i < half; ++i) {
      rows[i * num_columns + c] = columns[c][i];
      rows[(half + i) * num_columns + c] = -columns[c][i];
    }
  }
  return rows;
}

std::vector<double> cholesky(std::span<const double> covariance, std::size_t n) {
  assert(covariance.size() == n * n);
  std::vector<double> lower(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double rest = covariance[j * n + j];
    for (std::size_t k = 0; k < j; ++k) rest -= lower[j * n + k] * lower[j * n + k];
    // If C is singular, the remaining variance is 0, or slightly negative because of rounding. The
    // column of L is then 0.
    if (!(rest > 0)) continue;
    lower[j * n + j] = std::sqrt(rest);
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = covariance[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = sum / lower[j * n + j];
    }
  }
  return lower;
}

}  // namespace otss::internal
