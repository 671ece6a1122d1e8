#include "learn/mixture/squares_and_pairs.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd all_products(const MatrixXd& contexts) {
  const Index p = contexts.cols();
  MatrixXd products(contexts.rows(), p * (p + 1) / 2);
  Index next = 0;
  for (Index i = 0; i < p; ++i) {
    for (Index j = i; j < p; ++j)
      products.col(next++) = contexts.col(i).cwiseProduct(contexts.col(j));
  }
  return products;
}

MatrixXd squares_of_combinations(const MatrixXd& contexts, Index count) {
  constexpr std::uint64_t kSeed = 20261116;
  Rng rng(kSeed);
  MatrixXd combinations(contexts.cols(), count);
  const double scale = 1 / std::sqrt(static_cast<double>(contexts.cols()));
  for (Index m = 0; m < count; ++m) {
    for (Index j = 0; j < contexts.cols(); ++j) combinations(j, m) = scale * rng.normal();
  }
  return (contexts * combinations).cwiseAbs2();
}

}  // namespace

MatrixXd squares_and_pairs(const MatrixXd& contexts, const VectorXd& weights, Index most) {
  const Index p = contexts.cols();
  MatrixXd columns =
      p * (p + 1) / 2 <= most ? all_products(contexts) : squares_of_combinations(contexts, most);
  MatrixXd linear(contexts.rows(), p + 1);
  linear << contexts, VectorXd::Ones(contexts.rows());
  MatrixXd gram = linear.transpose() * weights.asDiagonal() * linear;
  gram.diagonal().array() += 1e-9 * gram.trace() / static_cast<double>(gram.rows());
  columns -= linear * gram.ldlt().solve(linear.transpose() * weights.asDiagonal() * columns);
  const double total = weights.sum();
  std::vector<Index> kept;
  for (Index m = 0; m < columns.cols(); ++m) {
    // The contexts are standardised, so that the squares of a column that varies are about 1.
    constexpr double kNoVariation = 1e-6;
    const double variance = weights.dot(columns.col(m).cwiseAbs2()) / total;
    if (!(variance > kNoVariation)) continue;
    columns.col(m) /= std::sqrt(variance);
    kept.push_back(m);
  }
  return columns(Eigen::all, kept);
}

}  // namespace otss::internal
