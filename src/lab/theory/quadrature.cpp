#include "lab/theory/quadrature.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace otss::internal {
namespace {

constexpr int kNodes = 20;

struct Legendre {
  double value;
  double slope;
};

// Computes the Legendre polynomial P_n(x) and its derivative by the three-term recurrence.
Legendre legendre(int n, double x) {
  double before = 1;
  double value = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1)};
}

}  // namespace

QuadratureRule gauss_legendre(int num_nodes) {
  QuadratureRule rule;
  for (int i = 0; i < num_nodes; ++i) {
    // Newton's method starts from Tricomi's estimate of the root; a few steps reach machine
    // precision.
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (num_nodes + 0.5));
    for (int step = 0; step < 8; ++step) {
      const Legendre p = legendre(num_nodes, x);
      x -= p.value / p.slope;
    }
    const double slope = legendre(num_nodes, x).slope;
    rule.nodes.push_back(x);
    rule.weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

double integrate(const RealFunction& f, std::span<const double> cuts) {
  static const QuadratureRule rule = gauss_legendre(kNodes);
  double sum = 0;
  for (std::size_t piece = 0; piece + 1 < cuts.size(); ++piece) {
    const double center = (cuts[piece] + cuts[piece + 1]) / 2;
    const double half = (cuts[piece + 1] - cuts[piece]) / 2;
    for (int i = 0; i < kNodes; ++i)
      sum += half * rule.weights[i] * f(center + half * rule.nodes[i]);
  }
  return sum;
}

std::vector<double> equal_cuts(double first, double last, int num_pieces) {
  std::vector<double> cuts(num_pieces + 1);
  for (int i = 0; i <= num_pieces; ++i) cuts[i] = first + (last - first) * i / num_pieces;
  return cuts;
}

}  // namespace otss::internal
