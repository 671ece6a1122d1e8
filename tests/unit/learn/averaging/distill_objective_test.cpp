#include "learn/averaging/distill_objective.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;

constexpr int kColumns = 3, kFactors = 2, kExperts = 5;

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed);
  MatrixXd matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = rng.normal();
  return matrix;
}

// Contexts whose number fills neither a block nor a task, with positive weights.
struct Contexts {
  MatrixXd rows = random_matrix(1100, kColumns + 1, 1);
  Eigen::VectorXd weights = random_matrix(rows.rows(), 1, 2).cwiseAbs();
  MatrixXd target = random_matrix(rows.rows(), kFactors + 1, 3);
  MixtureLayout layout{kColumns, kFactors, kExperts};
  std::vector<double> theta;

  Contexts() {
    rows.col(kColumns).setOnes();
    const MatrixXd drawn = random_matrix(static_cast<Eigen::Index>(layout.size()), 1, 4);
    theta.assign(drawn.data(), drawn.data() + drawn.size());
  }

  std::vector<double> shares(Eigen::Index row) const {
    std::vector<double> alpha(kExperts, 0.0);
    double total = 0;
    for (int k = 0; k < kExperts; ++k) {
      for (int j = 0; j <= kColumns && k + 1 < kExperts; ++j)
        alpha[k] += theta[layout.gate(k) + j] * rows(row, j);
      total += alpha[k] = std::exp(alpha[k]);
    }
    for (double& share : alpha) share /= total;
    return alpha;
  }

  double output(const std::vector<double>& alpha, int j) const {
    double sum = 0;
    for (int k = 0; k < kExperts; ++k) sum += alpha[k] * theta[layout.expert(k) + j];
    return sum;
  }
};

class DistillKernelOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor has no such instructions";
  }
  Contexts given;
};

TEST_P(DistillKernelOn, SumsTheOutputsOfMixtures) {
  const DistillContexts contexts(given.rows, given.weights, 1, GetParam());
  const std::vector<WeightedMixture> mixtures{{0.25, given.layout, given.theta},
                                              {0.5, given.layout, given.theta}};
  const MatrixXd sum = contexts.summed_outputs(mixtures);
  ASSERT_EQ(sum.rows(), given.rows.rows());
  for (Eigen::Index i = 0; i < sum.rows(); ++i) {
    const std::vector<double> alpha = given.shares(i);
    for (int j = 0; j <= kFactors; ++j)
      ASSERT_NEAR(sum(i, j), 0.75 * given.output(alpha, j), 1e-13) << i;
  }
}

TEST_P(DistillKernelOn, ReturnsTheValueOfTheFormula) {
  constexpr double kPrice = 0.3;
  const DistillContexts contexts(given.rows, given.weights, 1, GetParam());
  const double* const experts = &given.theta[given.layout.expert(0)];
  const std::vector<double> sums = contexts.objective(
      {kExperts, kFactors + 1, given.theta.data(), experts}, contexts.packed(given.target), kPrice);
  double expected = 0;
  for (Eigen::Index i = 0; i < given.rows.rows(); ++i) {
    const std::vector<double> alpha = given.shares(i);
    double of_context = 0;
    for (int j = 0; j <= kFactors; ++j)
      of_context += std::pow(given.output(alpha, j) - given.target(i, j), 2) / 2;
    for (const double share : alpha) of_context -= kPrice * share * std::log(share);
    expected += given.weights[i] * of_context;
  }
  EXPECT_NEAR(sums.front(), expected, 1e-11 * expected);
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, DistillKernelOn, testing::ValuesIn(kAllIsas),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(DistillContextsThreads, GiveTheSameBits) {
  const Contexts given;
  const MatrixXd moments = MatrixXd::Identity(kFactors + 1, kFactors + 1);
  std::vector<std::vector<double>> gradients;
  std::vector<double> values;
  for (const int threads : {1, 4}) {
    const DistillContexts contexts(given.rows, given.weights, threads);
    DistillObjective objective(contexts, moments, given.target, given.layout, 0.1);
    gradients.emplace_back(given.layout.size());
    values.push_back(objective.evaluate(given.theta, gradients.back()));
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(gradients[0], gradients[1]);
}

TEST(DistillingObjective, TakesFactorsThatDependOnEachOther) {
  const Contexts given;
  const DistillContexts contexts(given.rows, given.weights, 1);
  const MatrixXd factors = random_matrix(kFactors + 1, 1, 5);
  const MatrixXd moments = factors * factors.transpose();  // of rank 1
  DistillObjective objective(contexts, moments, given.target, given.layout, 0);
  std::vector<double> gradient(given.layout.size());
  double expected = 0;
  for (Eigen::Index i = 0; i < given.rows.rows(); ++i) {
    const std::vector<double> alpha = given.shares(i);
    double difference = 0;
    for (int j = 0; j <= kFactors; ++j)
      difference += (given.output(alpha, j) - given.target(i, j)) * factors(j, 0);
    expected += given.weights[i] * difference * difference / 2;
  }
  EXPECT_NEAR(objective.evaluate(given.theta, gradient), expected, 1e-3);  // the gate's ridge
}

}  // namespace
}  // namespace otss
