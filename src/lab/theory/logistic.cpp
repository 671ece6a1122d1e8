#include "lab/theory/logistic.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace otss::internal {
namespace {

using Weights = Eigen::Matrix<double, kRateFactors, 1>;
using Information = Eigen::Matrix<double, kRateFactors, kRateFactors>;
using RateRows = Eigen::Map<const Eigen::Matrix<double, kRateFactors, Eigen::Dynamic>>;

constexpr int kMaxSteps = 50;
// The largest change of a weight in one step. In separable data, a full step could be infinite.
constexpr double kLongestStep = 5;
constexpr double kTolerance = 1e-9;

struct Probabilities {
  Eigen::ArrayXd p;
  Information information;  // Σ p (1 - p) z z'
};

Probabilities at(const RateRows& z, const Weights& w) {
  Probabilities result;
  result.p = 1 / (1 + (-(z.transpose() * w).array()).exp());
  const Eigen::ArrayXd curvature = result.p * (1 - result.p);
  result.information = z * curvature.matrix().asDiagonal() * z.transpose();
  return result;
}

// Returns the gradient of the log likelihood. For bias reduction, Firth's term h (1/2 - p) is added
// to the residual of each row, where p is the row's fitted probability and h its leverage.
Weights score(const RateRows& z, std::span<const float> outcomes, const Probabilities& at_w,
              const Information& inverse, LogisticFit how) {
  Weights sum = Weights::Zero();
  for (Eigen::Index i = 0; i < z.cols(); ++i) {
    const double p = at_w.p[i];
    double residual = outcomes[i] - p;
    if (how == LogisticFit::kBiasReduced) {
      const double leverage = p * (1 - p) * z.col(i).dot(inverse * z.col(i));
      residual += leverage * (0.5 - p);
    }
    sum += residual * z.col(i);
  }
  return sum;
}

}  // namespace

RateWeights fit_logistic(std::span<const double> factors, std::span<const float> outcomes,
                         LogisticFit how) {
  const RateRows z(factors.data(), kRateFactors, static_cast<Eigen::Index>(outcomes.size()));
  Weights w = Weights::Zero();
  for (int step = 0; step < kMaxSteps; ++step) {
    const Probabilities here = at(z, w);
    const Information inverse = here.information.inverse();
    Weights move = inverse * score(z, outcomes, here, inverse, how);
    const double longest = move.cwiseAbs().maxCoeff();
    if (longest > kLongestStep) move *= kLongestStep / longest;
    w += move;
    if (longest < kTolerance) break;
  }
  return {w[0], w[1], w[2], w[3]};
}

}  // namespace otss::internal
