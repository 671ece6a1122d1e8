#include "learn/posterior/hmc.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "learn/posterior/chain_diagnostics.hpp"

namespace otss {
namespace {

using namespace internal;

// Minus the log density of N(mean, precision^-1).
class Normal final : public Objective {
 public:
  Normal(Eigen::VectorXd mean, Eigen::MatrixXd precision)
      : mean_(std::move(mean)), precision_(std::move(precision)) {}
  std::size_t size() const override { return mean_.size(); }
  double evaluate(std::span<const double> x, std::span<double> gradient) override {
    const Eigen::VectorXd away = Eigen::Map<const Eigen::VectorXd>(x.data(), mean_.size()) - mean_;
    Eigen::Map<Eigen::VectorXd>(gradient.data(), mean_.size()) = precision_ * away;
    return 0.5 * away.dot(precision_ * away);
  }

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd precision_;
};

const Eigen::Vector3d kMean(1, -2, 0.5);

Eigen::Matrix3d covariance() {
  Eigen::Matrix3d c;
  c << 4, 1, 0, 1, 1, 0.2, 0, 0.2, 0.25;
  return c;
}

std::vector<std::vector<double>> draws_of_each_entry(const Eigen::MatrixXd& hessian, int count) {
  Normal target(kMean, covariance().inverse());
  const auto leapfrog = make_leapfrog(target, hessian);
  HmcChain chain({0, 0, 0}, {});
  Rng rng(11);
  for (int i = 0; i < 200; ++i) chain.move(*leapfrog, rng);
  chain.freeze();
  std::vector<std::vector<double>> draws(3);
  for (int i = 0; i < count; ++i) {
    chain.move(*leapfrog, rng);
    for (int j = 0; j < 3; ++j) draws[j].push_back(chain.position()[j]);
  }
  EXPECT_GT(chain.mean_acceptance(), 0.6);
  return draws;
}

void expect_known_moments(const std::vector<std::vector<double>>& draws) {
  for (int j = 0; j < 3; ++j) {
    double mean = 0;
    double square = 0;
    const auto n = static_cast<double>(draws[j].size());
    for (const double x : draws[j]) mean += x / n;
    for (const double x : draws[j]) square += (x - mean) * (x - mean) / n;
    const double variance = covariance()(j, j);
    const double effective = mixing({draws[j]}).effective_sample;
    EXPECT_NEAR(mean, kMean[j], 4 * std::sqrt(variance / effective)) << "entry " << j;
    // Squares mix more slowly than the entry itself: twice the usual error of a variance.
    EXPECT_NEAR(square, variance, 8 * variance * std::sqrt(2 / effective)) << "entry " << j;
  }
}

TEST(Hmc, DrawsFromANormalWithItsHessian) {
  const auto draws = draws_of_each_entry(covariance().inverse(), 4000);
  expect_known_moments(draws);
  EXPECT_GT(mixing({draws[0]}).effective_sample, 1000);
}

TEST(Hmc, DrawsFromANormalWithAPoorHessian) {
  expect_known_moments(draws_of_each_entry(Eigen::Matrix3d::Identity(), 4000));
}

TEST(Hmc, RejectsTrajectoriesThatLeaveTheDomain) {
  class HalfLine final : public Objective {
   public:
    std::size_t size() const override { return 1; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
      gradient[0] = 1;
      return x[0] > 0 ? x[0] : std::numeric_limits<double>::infinity();
    }
  } exponential;
  const auto leapfrog = make_leapfrog(exponential, Eigen::MatrixXd::Identity(1, 1));
  HmcChain chain({1}, {});
  Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    chain.move(*leapfrog, rng);
    ASSERT_GT(chain.position()[0], 0);
  }
}

}  // namespace
}  // namespace otss
