#include "lab/theory/rate_constants.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "lab/theory/quadrature.hpp"
#include "lab/theory/rate_family.hpp"

namespace otss::internal {
namespace {

using Information = Eigen::Matrix<double, kRateFactors, kRateFactors>;
// The derivative of w(x) with respect to the parameters, a matrix of factors × parameters.
using Tangent = Eigen::Matrix<double, kRateFactors, Eigen::Dynamic>;

// Numbers of quadrature nodes. They give at least eight correct digits, because the integrands are
// smooth.
constexpr int kFactorNodes = 8;
constexpr int kContextNodes = 24;

// Returns the Fisher information of one row with context x about the weights: the mean over z ~
// U[-1, 1]^4 of
//
//   p (1 - p) z z',   where p is the probability of the outcome 1.
Information information_at(double x, RateShare form) {
  static const QuadratureRule rule = gauss_legendre(kFactorNodes);
  const RateWeights w = rate_weights(x, form);
  Information sum = Information::Zero();
  const int points = static_cast<int>(std::pow(kFactorNodes, kRateFactors));
  for (int point = 0; point < points; ++point) {
    Eigen::Vector4d z;
    double weight = 1;
    double score = 0;
    for (int j = 0, digits = point; j < kRateFactors; ++j, digits /= kFactorNodes) {
      z[j] = rule.nodes[digits % kFactorNodes];
      weight *= rule.weights[digits % kFactorNodes] / 2;
      score += w[j] * z[j];
    }
    const double p = 1 / (1 + std::exp(-score));
    sum += weight * p * (1 - p) * z * z.transpose();
  }
  return sum;
}

// Calls `body` for each node of the quadrature over x ~ U[0, 1]. The baseline can be ignored: its
// joint information with the weights is the mean of p (1 - p) z, which is 0 because z is symmetric
// about 0.
void for_each_context(const std::function<void(double x, double weight)>& body) {
  static const QuadratureRule rule = gauss_legendre(kContextNodes);
  for (int i = 0; i < kContextNodes; ++i) body((rule.nodes[i] + 1) / 2, rule.weights[i] / 2);
}

// The matrices G = E[t' t] and I = E[t' I(X) t], where t is the tangent in a context.
struct FirstOrder {
  Eigen::MatrixXd gram, information;

  double weight_error() const { return information.ldlt().solve(gram).trace(); }
  double parameter_error() const { return information.inverse().trace(); }
};

FirstOrder first_order(int parameters, RateShare form,
                       const std::function<Tangent(double x)>& tangent) {
  FirstOrder result{Eigen::MatrixXd::Zero(parameters, parameters),
                    Eigen::MatrixXd::Zero(parameters, parameters)};
  for_each_context([&](double x, double weight) {
    const Tangent t = tangent(x);
    result.information += weight * t.transpose() * information_at(x, form) * t;
    result.gram += weight * t.transpose() * t;
  });
  return result;
}

// Returns the derivative of w with respect to the experts, where the share is `a`.
Tangent expert_tangent(double a) {
  Tangent t(kRateFactors, 2 * kRateFactors);
  t << a * Information::Identity(), (1 - a) * Information::Identity();
  return t;
}

// Returns the derivative of w with respect to the experts and the gate, where the share is `a`. The gate is α = σ(g_0 +
// g_1 logit α*), where α* is the true share (rate_family.hpp). The derivative is taken at the true
// gate, g_0 = 0 and g_1 = 1, where
//   d α / d g_0 = α (1 - α),   d α / d g_1 = α (1 - α) logit α
Tangent joint_tangent(double a) {
  Eigen::Vector4d difference;
  for (int j = 0; j < kRateFactors; ++j) difference[j] = kRateExpert1[j] - kRateExpert2[j];
  Tangent t(kRateFactors, 2 * kRateFactors + 2);
  t << expert_tangent(a), a * (1 - a) * difference,
      a * (1 - a) * std::log(a / (1 - a)) * difference;
  return t;
}

double squared_distance_of_experts() {
  double sum = 0;
  for (int j = 0; j < kRateFactors; ++j)
    sum += (kRateExpert1[j] - kRateExpert2[j]) * (kRateExpert1[j] - kRateExpert2[j]);
  return sum;
}

}  // namespace

RateConstants rate_constants(RateShare form) {
  RateConstants constants;
  constants.floor = squared_distance_of_experts() * squared_rate_slope(form) / 12;
  for_each_context([&](double x, double weight) {
    constants.variance += weight * information_at(x, form).inverse().trace();
  });
  const auto at_share = [form](Tangent (*tangent)(double share)) {
    return [form, tangent](double x) { return tangent(rate_share(x, form)); };
  };
  constants.oracle_gate =
      first_order(2 * kRateFactors, form, at_share(expert_tangent)).weight_error();
  const FirstOrder joint = first_order(2 * kRateFactors + 2, form, at_share(joint_tangent));
  constants.joint = joint.weight_error();
  constants.joint_parameters = joint.parameter_error();
  return constants;
}

double expected_hard_error(const RateConstants& constants, std::size_t n, int regions) {
  return constants.floor / (regions * regions) +
         constants.variance * regions / static_cast<double>(n);
}

double balanced_hard_constant(const RateConstants& constants, double width) {
  return constants.floor / (width * width) + constants.variance * width;
}

double best_region_width(const RateConstants& constants) {
  return std::cbrt(2 * constants.floor / constants.variance);
}

double crossover(double hard_constant, double soft_constant) {
  return std::pow(soft_constant / hard_constant, 3);
}

}  // namespace otss::internal
