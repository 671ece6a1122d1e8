#include "learn/problem/tile_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "data/log/tile_matrix.hpp"

namespace otss::internal {
namespace {

using Eigen::MatrixXd;

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

TileColumns columns_of(const MatrixXd& tile) {
  return {static_cast<std::size_t>(tile.cols()), tile.data()};
}

// Calls body(kernel) for every instruction set that this processor has.
template <class Body>
void for_each_kernel(const Body& body) {
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    body(contextual_kernel(isa));
  }
}

TEST(ContextualKernel, MultipliesAsEigenDoesForAnyNumberOfFunctions) {
  for_each_kernel([](const ContextualKernel& kernel) {
    Rng rng(3);
    for (const std::size_t functions : {1, 2, 3, 5, 8, 11}) {
      const MatrixXd tile = random_matrix(kTileRows, 7, rng);
      const MatrixXd parameters = random_matrix(7, functions, rng);  // a column is a function
      MatrixXd values(kTileRows, functions);
      kernel.linear(columns_of(tile), {functions, parameters.data(), 7, 1}, values.data());
      EXPECT_LT((values - tile * parameters).cwiseAbs().maxCoeff(), 1e-13);

      MatrixXd sums = random_matrix(7, functions, rng);
      const MatrixXd expected = sums + tile.transpose() * values;
      std::vector<double> scratch(8 * 7 * functions + 8);
      void* aligned = scratch.data();
      std::size_t space = scratch.size() * sizeof(double);
      std::align(64, 8 * 7 * functions * sizeof(double), aligned, space);
      kernel.add_products(columns_of(tile), columns_of(values), sums.data(),
                          static_cast<double*>(aligned));
      EXPECT_LT((sums - expected).cwiseAbs().maxCoeff(), 1e-11);
    }
  });
}

TEST(ContextualKernel, TanhHasSmallRelativeErrorsForNumbersOfAnySize) {
  for_each_kernel([](const ContextualKernel& kernel) {
    Rng rng(4);
    MatrixXd values = random_matrix(kTileRows, 3, rng);
    values.col(1) *= 1000;
    values(0, 2) = 0;
    const MatrixXd before = values;
    kernel.tanh(3, values.data());
    for (Eigen::Index i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values.data()[i], std::tanh(before.data()[i]), 1e-15) << before.data()[i];
  });
}

TEST(ContextualKernel, LossesAreThoseOfTheLogisticModel) {
  for_each_kernel([](const ContextualKernel& kernel) {
    Rng rng(5);
    MatrixXd eta = 5 * random_matrix(kTileRows, 1, rng);
    eta(0) = 800;
    eta(1) = -800;
    std::vector<float> weights(kTileRows);
    double expected = 0;
    MatrixXd slopes(kTileRows, 1);
    for (std::size_t i = 0; i < kTileRows; ++i) {
      weights[i] = static_cast<float>(i % 5 == 4 ? 0 : rng.normal());
      const double against = weights[i] > 0 ? -eta(i) : eta(i);
      const double size = std::abs(weights[i]);
      expected += size * (std::max(against, 0.0) + std::log1p(std::exp(-std::abs(against))));
      slopes(i) = -weights[i] / (1 + std::exp(-against));
    }
    EXPECT_NEAR(kernel.losses(weights.data(), eta.data(), eta.data()), expected, 1e-11 * expected);
    EXPECT_LT((eta - slopes).cwiseAbs().maxCoeff(), 1e-14);
    eta(7) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(kernel.losses(weights.data(), eta.data(), eta.data())));
  });
}

}  // namespace
}  // namespace otss::internal
