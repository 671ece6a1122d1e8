#include "lab/theory/decompositions.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/truth.hpp"
#include "unit/lab/theory/random_families.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kConfigurations = 1000;

std::vector<double> weights_of(const SoftModel& model) {
  const int num_factors = model.num_factors();
  std::vector<double> w(model.num_rows() * num_factors, 0.0);
  for (std::size_t i = 0; i < model.num_rows(); ++i)
    for (int k = 0; k < model.num_experts; ++k)
      for (int j = 0; j < num_factors; ++j)
        w[i * num_factors + j] +=
            model.shares[i * model.num_experts + k] * model.experts[k * num_factors + j];
  return w;
}

std::vector<double> random_shares(Rng& rng, std::size_t rows, int num_experts) {
  std::vector<double> shares(rows * num_experts);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = 0; k < num_experts; ++k)
      sum += shares[i * num_experts + k] = rng.gamma(rng.uniform(0.05, 2));
    for (int k = 0; k < num_experts; ++k) shares[i * num_experts + k] /= sum;
  }
  return shares;
}

struct Pair {
  SoftModel estimate, truth;
};

Pair random_pair(Rng& rng) {
  const int num_experts = 1 + static_cast<int>(rng.below(6));
  const std::size_t num_factors = 1 + rng.below(8);
  const std::size_t rows = 1 + rng.below(30);
  const auto draw = [&](double scale) {
    return SoftModel{num_experts, random_shares(rng, rows, num_experts),
                     random_normals(rng, num_experts * num_factors, scale)};
  };
  return {draw(rng.uniform(0.01, 3)), draw(1)};
}

TEST(HardDecomposition, FloorAndEstimationAddUpToTheError) {
  Rng rng(7501);
  for (int i = 0; i < kConfigurations; ++i) {
    const int num_factors = 1 + static_cast<int>(rng.below(6));
    const std::size_t rows = 1 + rng.below(50);
    const int num_cells = 1 + static_cast<int>(rng.below(6));
    const auto truth = random_normals(rng, rows * num_factors);
    const auto estimate = random_normals(rng, static_cast<std::size_t>(num_cells) * num_factors);
    std::vector<int> cells(rows);
    for (int& cell : cells) cell = static_cast<int>(rng.below(num_cells));
    const HardDecomposition d = hard_decomposition(truth, cells, estimate, num_factors);
    EXPECT_NEAR(d.floor + d.estimation, d.total, 1e-12);
    EXPECT_EQ(d.floor, hard_floor(truth, cells, num_factors));
    EXPECT_LE(d.floor, d.total + 1e-12);
  }
}

TEST(HardDecomposition, HasTheFloorOfTheFamilyOnAFineGridOfContexts) {
  const TwoExperts line{[](double x) { return 0.1 + 0.8 * x; }, {1, 0}, {0, 1}};
  const std::vector<double> bins = equal_cuts(0, 1, 4);
  const int rows = 4000;
  std::vector<double> truth;
  std::vector<int> cells;
  for (int i = 0; i < rows; ++i) {
    const double x = (i + 0.5) / rows;
    truth.push_back(line.share(x));
    truth.push_back(1 - line.share(x));
    cells.push_back(static_cast<int>(4 * x));
  }
  EXPECT_NEAR(hard_floor(truth, cells, 2), hard_floor(line, bins), 1e-7);
}

TEST(ExpertGateParts, AddUpToTheErrorOfTheWeights) {
  Rng rng(7502);
  for (int i = 0; i < kConfigurations; ++i) {
    const auto [estimate, truth] = random_pair(rng);
    const ExpertGateParts parts = expert_gate_parts(estimate, truth);
    const auto w = weights_of(estimate);
    const auto w_true = weights_of(truth);
    for (std::size_t e = 0; e < w.size(); ++e)
      EXPECT_NEAR(parts.expert[e] + parts.gate[e], w[e] - w_true[e], 1e-13);
  }
}

TEST(ExpertGateBound, IsAboveTheErrorOfTheWeights) {
  Rng rng(7503);
  for (int i = 0; i < kConfigurations; ++i) {
    const auto [estimate, truth] = random_pair(rng);
    const double error = weight_mse(weights_of(estimate), weights_of(truth), truth.num_factors());
    EXPECT_LE(error, expert_gate_bound(estimate, truth).total()) << "configuration " << i;
  }
}

TEST(ExpertGateBound, BlamesTheExpertsWhenTheGateIsRightAndTheGateWhenTheExpertsAre) {
  Rng rng(7504);
  const auto [estimate, truth] = random_pair(rng);
  const SoftModel right_gate{truth.num_experts, truth.shares, estimate.experts};
  const SoftModel right_experts{truth.num_experts, estimate.shares, truth.experts};
  EXPECT_EQ(expert_gate_bound(right_gate, truth).gate, 0);
  EXPECT_EQ(expert_gate_bound(right_experts, truth).expert, 0);
}

TEST(ExpertGateBound, ErrsByTheFactorTwoAloneWhenOneExpertIsWrongForEverybody) {
  const SoftModel truth{1, {1, 1, 1}, {2, -1}};
  const SoftModel estimate{1, {1, 1, 1}, {2.5, -1}};
  EXPECT_DOUBLE_EQ(expert_gate_bound(estimate, truth).total(), 2 * 0.25);
  EXPECT_DOUBLE_EQ(weight_mse(weights_of(estimate), weights_of(truth), 2), 0.25);
}

}  // namespace
}  // namespace otss
