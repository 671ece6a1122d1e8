#include "learn/probabilities/isa/routed_kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "learn/probabilities/mixed_rows.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;

// A tile's functions, with outcomes of both kinds, weights of 0 and other sizes, and predictors of any
// size.
struct TileOfRows {
  alignas(64) std::array<float, kTileRows> signed_weights;
  MatrixXd contexts, experts;

  explicit TileOfRows(int num_experts)
      : contexts(kTileRows, num_experts), experts(kTileRows, num_experts) {
    Rng rng(11);
    for (float& weight : signed_weights) {
      const float size = static_cast<float>(rng.below(3)) * 0.75F;
      weight = rng.uniform() < 0.5 ? size : -size;
    }
    for (double& value : contexts.reshaped()) value = 2 * rng.normal();
    for (double& value : experts.reshaped()) value = std::pow(10.0, rng.below(4)) * rng.normal();
  }

  RoutedTile routed() {
    return {static_cast<std::size_t>(experts.cols()), signed_weights.data(), contexts.data(),
            experts.data()};
  }
};

// What the formulas of routed_objective.hpp give for one row.
struct RowByFormula {
  std::vector<double> share, likelihood, responsibility;
  double weight, sign, mixed = 0;

  RowByFormula(const TileOfRows& tile, Eigen::Index row)
      : share(tile.experts.cols(), 1.0),
        likelihood(share),
        responsibility(share),
        weight(std::abs(tile.signed_weights[row])),
        sign(tile.signed_weights[row] > 0 ? 1 : -1) {
    const Eigen::Index last = tile.experts.cols() - 1;
    for (Eigen::Index k = 0; k < last; ++k) share[k] = std::exp(tile.contexts(row, k));
    const double total = std::accumulate(share.begin(), share.end(), 0.0);
    for (Eigen::Index k = 0; k <= last; ++k) {
      const double eta = tile.experts(row, k) + tile.contexts(row, last);
      likelihood[k] = 1 / (1 + std::exp(-sign * std::max(-500.0, std::min(eta, 500.0))));
      share[k] /= total;
      mixed += responsibility[k] = share[k] * likelihood[k];
    }
    for (double& one : responsibility) one /= mixed;
  }
};

class RoutedKernelOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor has no such instructions";
  }
};

TEST_P(RoutedKernelOn, SlopesAreThoseOfTheFormulas) {
  for (const int num_experts : {1, 2, 5}) {
    TileOfRows tile(num_experts);
    const TileOfRows before = tile;
    const double loss = routed_kernel(GetParam()).slopes(tile.routed());
    double expected_loss = 0;
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kTileRows); ++i) {
      const RowByFormula row(before, i);
      if (row.weight > 0) expected_loss -= row.weight * std::log(row.mixed);
      double sum = 0;
      for (int k = 0; k < num_experts; ++k) {
        const double slope =
            -row.weight * row.sign * row.responsibility[k] * (1 - row.likelihood[k]);
        sum += slope;
        EXPECT_NEAR(tile.experts(i, k), slope, 1e-12);
        if (k + 1 == num_experts) continue;
        EXPECT_NEAR(tile.contexts(i, k), row.weight * (row.share[k] - row.responsibility[k]),
                    1e-12);
      }
      EXPECT_NEAR(tile.contexts(i, num_experts - 1), sum, 1e-12);
    }
    EXPECT_NEAR(loss, expected_loss, 1e-12 * expected_loss);
  }
}

TEST_P(RoutedKernelOn, CurvaturesAreThoseOfTheFormulas) {
  for (const int num_experts : {1, 2, 5}) {
    TileOfRows tile(num_experts);
    const TileOfRows before = tile;
    routed_kernel(GetParam()).curvatures(tile.routed());
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kTileRows); ++i) {
      const RowByFormula row(before, i);
      double sum = 0;
      for (int k = 0; k < num_experts; ++k) {
        const double curvature =
            row.weight * row.responsibility[k] * row.likelihood[k] * (1 - row.likelihood[k]);
        sum += curvature;
        EXPECT_NEAR(tile.experts(i, k), curvature, 1e-12);
        if (k + 1 == num_experts) continue;
        EXPECT_NEAR(tile.contexts(i, k), row.share[k], 1e-12);
      }
      EXPECT_NEAR(tile.contexts(i, num_experts - 1), sum, 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, RoutedKernelOn, testing::ValuesIn(kAllIsas),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

}  // namespace
}  // namespace otss
