#include <gtest/gtest.h>

#include <cmath>

#include "engine/gauss_newton.hpp"
#include "engine/linear_predictors.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

std::vector<double> logits_at(const Problem& problem, const std::vector<double>& theta,
                              int num_threads = 1, Mixed mixed = Mixed::kPredictors) {
  std::vector<double> eta(problem.features.num_rows());
  linear_predictors(problem.features, problem.layout, theta, num_threads, eta, mixed);
  return eta;
}

// Row i, column j: d eta_i / d theta_j by central differences.
Eigen::MatrixXd jacobian(const Problem& problem, Mixed mixed) {
  constexpr double kStep = 1e-5;
  Eigen::MatrixXd result(problem.features.num_rows(), problem.theta.size());
  for (std::size_t j = 0; j < problem.theta.size(); ++j) {
    std::vector<double> up = problem.theta, down = problem.theta;
    up[j] += kStep;
    down[j] -= kStep;
    const auto eta_up = logits_at(problem, up, 1, mixed);
    const auto eta_down = logits_at(problem, down, 1, mixed);
    for (std::size_t i = 0; i < eta_up.size(); ++i) {
      result(i, j) = (eta_up[i] - eta_down[i]) / (2 * kStep);
    }
  }
  return result;
}

TEST(Logits, GiveTheLossOfThePlainPath) {
  const Problem problem = make_problem(10'000, {4, 3, 3}, Weights::kMasked);
  const auto eta = logits_at(problem, problem.theta, 2);
  double loss = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double sign = problem.rows[i] > 0 ? 1 : -1;
    loss += std::abs(problem.rows[i]) * std::log1p(std::exp(-sign * eta[i]));
  }
  EXPECT_NEAR(loss, evaluate_plain(problem, problem.theta).loss, 1e-12 * loss);
}

class GaussNewtonOfMixtures : public testing::TestWithParam<Mixed> {};

TEST_P(GaussNewtonOfMixtures, IsBuiltFromTheDerivativesOfTheLogits) {
  for (const int num_experts : {1, 2, 4}) {
    const Problem problem = make_problem(300, {3, 2, num_experts}, Weights::kMasked);
    const auto eta = logits_at(problem, problem.theta, 1, GetParam());
    Eigen::VectorXd curvature(eta.size());
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const double p = 1 / (1 + std::exp(-eta[i]));
      curvature[i] = std::abs(problem.rows[i]) * p * (1 - p);
    }
    const Eigen::MatrixXd j = jacobian(problem, GetParam());
    const Eigen::MatrixXd expected = j.transpose() * curvature.asDiagonal() * j;
    const Eigen::MatrixXd ours = gauss_newton(problem.features, problem.rows, problem.theta,
                                              problem.layout, 1, {}, GetParam());
    EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());
  }
}

INSTANTIATE_TEST_SUITE_P(Mixed, GaussNewtonOfMixtures,
                         testing::Values(Mixed::kPredictors, Mixed::kProbabilities),
                         [](const auto& mixed) {
                           return mixed.param == Mixed::kPredictors ? "Predictors"
                                                                    : "Probabilities";
                         });

class GaussNewtonOfFamily : public testing::TestWithParam<OutputFamily::Kind> {};

TEST_P(GaussNewtonOfFamily, IsTheHessianOfThePooledModel) {
  // With one expert eta is linear and links are canonical, so nothing is left out.
  const Problem problem = with_family(make_problem(300, {3, 2, 1}, Weights::kGeneral), GetParam());
  const Eigen::MatrixXd ours = gauss_newton(problem.features, problem.rows, problem.theta,
                                            problem.layout, 1, problem.outcomes.family());
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < problem.theta.size(); ++j) {
    std::vector<double> up = problem.theta, down = problem.theta;
    up[j] += kStep;
    down[j] -= kStep;
    const auto gradient_up = evaluate_plain(problem, up).gradient;
    const auto gradient_down = evaluate_plain(problem, down).gradient;
    for (std::size_t i = 0; i < problem.theta.size(); ++i) {
      EXPECT_NEAR(ours(i, j), (gradient_up[i] - gradient_down[i]) / (2 * kStep),
                  1e-7 * problem.rows.total());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, GaussNewtonOfFamily,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST(GaussNewton, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = make_problem(5'000, {5, 4, 3});
  const auto run = [&](int num_threads) {
    return gauss_newton(problem.features, problem.rows, problem.theta, problem.layout, num_threads);
  };
  const Eigen::MatrixXd one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(7));
  EXPECT_EQ(one, one.transpose());
}

TEST(GaussNewton, OfNoRowsIsZero) {
  Problem problem = make_problem(200, {2, 2, 2});
  problem.rows = problem.rows.restricted_to([](std::size_t) { return false; });
  EXPECT_EQ(gauss_newton(problem.features, problem.rows, problem.theta, problem.layout, 2).norm(),
            0);
}

}  // namespace
}  // namespace otss::test
