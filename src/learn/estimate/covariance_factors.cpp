#include "learn/estimate/covariance_factors.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/random.hpp"
#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kMostNumbers = 200'000;  // limit for all stored draws together (2 MB)
constexpr std::size_t kFewestDraws = 50;       // with fewer draws the tails cannot be estimated

NormalUncertainty::Factor stored(const MatrixXd& factor) {
  NormalUncertainty::Factor result{{}, static_cast<int>(factor.cols())};
  for (Index i = 0; i < factor.rows(); ++i) {
    for (Index j = 0; j < factor.cols(); ++j) result.rows.push_back(rounded(factor(i, j)));
  }
  return result;
}

// A covariance factor F with `size` columns is multiplied by the returned matrix G, so that F G has
// few columns. If the size is small, G is the identity. Otherwise the entries of G are scaled
// normal draws, and the covariance F G G' F' equals F F' in expectation.
MatrixXd few_columns(Index size, std::uint64_t seed) {
  if (size <= NormalUncertainty::kMostRank) return MatrixXd::Identity(size, size);
  Rng rng(seed);
  const auto rank = static_cast<Index>(num_stored_draws(size, NormalUncertainty::kMostRank));
  MatrixXd normals(size, rank);
  for (double& value : normals.reshaped()) value = rng.normal();
  return normals / std::sqrt(static_cast<double>(rank));
}

// Returns the lower triangular L with L L' = covariance. The covariance may be singular.
MatrixXd lower_factor(const MatrixXd& covariance) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index size = covariance.rows();
  const std::vector<double> lower =
      cholesky(std::span<const double>(covariance.data(), covariance.size()), size);
  return Eigen::Map<const RowMajor>(lower.data(), size, size);
}

}  // namespace

double rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

std::size_t num_stored_draws(std::size_t num_parameters, std::size_t most) {
  return std::clamp(kMostNumbers / num_parameters, kFewestDraws, most);
}

// Let L be the Cholesky factor of the weights' covariance. The baseline's factor is
// [cross L'^-1, M], where M M' is the part of the baseline's covariance that the weights do not
// explain.
CovarianceFactors covariance_factors(MatrixXd weights, const MatrixXd& baseline,
                                     const MatrixXd& cross) {
  const Index size = weights.rows();
  constexpr double kNegligible = 1e-12;
  weights.diagonal().array() += kNegligible * weights.trace() / static_cast<double>(size);
  const MatrixXd lower = weights.llt().matrixL();
  const MatrixXd explained =
      lower.triangularView<Eigen::Lower>().solve(cross.transpose()).transpose();
  const MatrixXd rest = lower_factor(baseline - explained * explained.transpose());
  const MatrixXd columns = few_columns(size, 1);
  const MatrixXd rest_columns = few_columns(rest.rows(), 2);
  MatrixXd of_baseline(rest.rows(), columns.cols() + rest_columns.cols());
  of_baseline << explained * columns, rest * rest_columns;
  return {stored(lower * columns), stored(of_baseline)};
}

}  // namespace otss::internal
