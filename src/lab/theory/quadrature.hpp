// Integrals over an interval, exact to rounding where the integrand is smooth between the cuts.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace otss {

// Gauss–Legendre on [-1, 1]: exact for polynomials up to degree 2 × nodes - 1.
struct QuadratureRule {
  std::vector<double> nodes;
  std::vector<double> weights;  // sum to 2
};
QuadratureRule gauss_legendre(int num_nodes);

using RealFunction = std::function<double(double x)>;

// The integral from the first cut to the last, piece by piece: put a cut wherever the integrand
// jumps or bends. Cuts do not decrease.
double integrate(const RealFunction& f, std::span<const double> cuts);

// first, …, last in `num_pieces` pieces of equal length.
std::vector<double> equal_cuts(double first, double last, int num_pieces);

}  // namespace otss
