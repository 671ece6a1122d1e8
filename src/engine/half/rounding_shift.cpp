#include "engine/half/rounding_shift.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "engine/half/corrected_engine.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kMostRows = 20'000;  // more say hardly more
constexpr double kTailShare = 0.05;        // of the rows, on each side of the middle
// Keeps the correlations invertible if columns depend on each other exactly, as the levels of a text
// column do.
constexpr double kRidge = 1e-10;

// Rows of a sample as a matrix, one row of the matrix per row of the sample.
Eigen::MatrixXd some_rows(const TileMatrix& tiles) {
  const std::size_t count = std::min(kMostRows, tiles.num_rows());
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(count), tiles.num_columns());
  for (std::size_t i = 0; i < count; ++i) {
    for (int c = 0; c < tiles.num_columns(); ++c)
      rows(static_cast<Eigen::Index>(i), c) = tiles.at(i * tiles.num_rows() / count, c);
  }
  return rows;
}

// Returns for each column its variance divided by the part of it that the other columns do not explain.
Eigen::VectorXd inflations(const Eigen::Ref<const Eigen::MatrixXd>& columns) {
  Eigen::MatrixXd standard = columns.rowwise() - columns.colwise().mean();
  for (auto column : standard.colwise()) {
    const double norm = column.norm();
    if (norm > 0) column /= norm;
  }
  Eigen::MatrixXd correlations = standard.transpose() * standard;
  for (double& one : correlations.diagonal()) one = 1 + kRidge;  // constant columns too
  const Eigen::Index size = correlations.rows();
  return correlations.ldlt().solve(Eigen::MatrixXd::Identity(size, size)).diagonal();
}

// A column of the sample, and as it is stored.
struct RoundedColumn {
  Eigen::ArrayXd x, stored;

  // Returns d/s: the deviation of what a linear function of the stored column does not give of x, over
  // the deviation of x.
  double relative_error() const {
    const Eigen::ArrayXd centred = x - x.mean(), own = stored - stored.mean();
    const double variance = centred.square().sum(), stored_variance = own.square().sum();
    if (variance <= 0) return 0;
    const double slope = stored_variance > 0 ? (own * centred).sum() / stored_variance : 0;
    return std::sqrt((centred - slope * own).square().sum() / variance);
  }

  // Returns the rows without the tails of x.
  RoundedColumn middle() const {
    std::vector<double> sorted(x.begin(), x.end());
    std::ranges::sort(sorted);
    const auto tail = static_cast<std::size_t>(kTailShare * static_cast<double>(sorted.size()));
    const double lo = sorted[tail], hi = sorted[sorted.size() - 1 - tail];
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (x[i] >= lo && x[i] <= hi) kept.push_back(i);
    return {x(kept), stored(kept)};
  }
};

}  // namespace

std::vector<double> rounding_shifts(const TileMatrix& original, const TileMatrix& rounded,
                                    int num_contexts) {
  const Eigen::MatrixXd x = some_rows(original), stored = some_rows(rounded);
  Eigen::VectorXd inflation(x.cols());
  inflation.head(num_contexts) = inflations(x.leftCols(num_contexts));
  inflation.tail(x.cols() - num_contexts) = inflations(x.rightCols(x.cols() - num_contexts));
  std::vector<double> shifts;
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    const RoundedColumn column{x.col(c), stored.col(c)};
    const double error = std::max(column.relative_error(), column.middle().relative_error());
    shifts.push_back(error * std::sqrt(static_cast<double>(kTilesPerSampledTile) * inflation[c]));
  }
  return shifts;
}

}  // namespace otss::internal
