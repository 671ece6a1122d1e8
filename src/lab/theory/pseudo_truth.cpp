#include "lab/theory/pseudo_truth.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "lab/theory/rate_fits.hpp"

namespace otss::internal {
namespace {

// Numbers of quadrature nodes. With more nodes, the constant changes by less than one in ten thousand.
constexpr int kPseudoFactorNodes = 5;
constexpr int kPseudoContextNodes = 6;
constexpr int kNewtonSteps = 30;
constexpr double kNewtonTolerance = 1e-12;

using PseudoWeights = Eigen::Matrix<double, kRateFactors, 1>;

double probability(const PseudoWeights& w, const PseudoWeights& z) {
  return 1 / (1 + std::exp(-w.dot(z)));
}

PseudoWeights vector_of(const RateWeights& w) { return Eigen::Map<const PseudoWeights>(w.data()); }

// A node of the quadrature over the contexts of a bin and over z ~ U[-1, 1]^4.
struct PseudoNode {
  PseudoWeights z;
  double weight;
  double probability;  // of the outcome 1, under the true weights
};

std::vector<PseudoNode> nodes_of_bin(double from, double to, RateShare form) {
  static const QuadratureRule factors = gauss_legendre(kPseudoFactorNodes);
  static const QuadratureRule contexts = gauss_legendre(kPseudoContextNodes);
  const int points = static_cast<int>(std::pow(kPseudoFactorNodes, kRateFactors));
  std::vector<PseudoNode> nodes;
  for (int i = 0; i < kPseudoContextNodes; ++i) {
    const double x = from + (to - from) * (contexts.nodes[i] + 1) / 2;
    const PseudoWeights w = vector_of(rate_weights(x, form));
    for (int point = 0; point < points; ++point) {
      PseudoNode node{{}, contexts.weights[i] / 2, 0};
      for (int j = 0, digits = point; j < kRateFactors; ++j, digits /= kPseudoFactorNodes) {
        node.z[j] = factors.nodes[digits % kPseudoFactorNodes];
        node.weight *= factors.weights[digits % kPseudoFactorNodes] / 2;
      }
      node.probability = probability(w, node.z);
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Minimises the expected loss of a bin by Newton's method, from the weights in its middle.
RateWeights pseudo_truth(double from, double to, RateShare form) {
  const std::vector<PseudoNode> nodes = nodes_of_bin(from, to, form);
  PseudoWeights w = vector_of(rate_weights((from + to) / 2, form));
  for (int step = 0; step < kNewtonSteps; ++step) {
    PseudoWeights gradient = PseudoWeights::Zero();
    Eigen::Matrix<double, kRateFactors, kRateFactors> curvature = gradient * gradient.transpose();
    for (const PseudoNode& node : nodes) {
      const double p = probability(w, node.z);
      gradient += node.weight * (p - node.probability) * node.z;
      curvature += node.weight * p * (1 - p) * node.z * node.z.transpose();
    }
    const PseudoWeights move = curvature.ldlt().solve(gradient);
    w -= move;
    if (move.cwiseAbs().maxCoeff() < kNewtonTolerance) break;
  }
  return {w[0], w[1], w[2], w[3]};
}

}  // namespace

std::vector<RateWeights> pseudo_truths(int regions, RateShare form) {
  const std::vector<double> cuts = equal_cuts(0, 1, regions);
  std::vector<RateWeights> result;
  for (int m = 0; m < regions; ++m) result.push_back(pseudo_truth(cuts[m], cuts[m + 1], form));
  return result;
}

double pseudo_truth_error(int regions, RateShare form) {
  const std::vector<RateWeights> weights = pseudo_truths(regions, form);
  const auto at = [&](double x) {
    return weights[std::min(regions - 1, static_cast<int>(x * regions))];
  };
  return rate_weight_error(at, form, regions);
}

double compatibility_constant(int most_regions, RateShare form) {
  double largest = 0;
  for (int regions = 1; regions <= most_regions; ++regions)
    largest = std::max(largest, regions * regions * pseudo_truth_error(regions, form));
  return largest;
}

}  // namespace otss::internal
