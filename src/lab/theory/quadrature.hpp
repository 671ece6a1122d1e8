// Computes integrals over an interval. The interval is divided at given points, the cuts. The
// result is exact up to rounding if the integrand is smooth between the cuts.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace otss::internal {

// A Gauss–Legendre rule on [-1, 1]. It is exact for polynomials of degree up to 2 · nodes - 1.
struct QuadratureRule {
  std::vector<double> nodes;
  std::vector<double> weights;  // their sum is 2
};
QuadratureRule gauss_legendre(int num_nodes);

using RealFunction = std::function<double(double x)>;

// Returns the integral from the first cut to the last, as a sum over the pieces between the cuts.
// There must be a cut wherever the integrand or its derivative is discontinuous. Cuts are in
// nondecreasing order.
double integrate(const RealFunction& f, std::span<const double> cuts);

// Returns the num_pieces + 1 cuts that divide [first, last] into pieces of equal length.
std::vector<double> equal_cuts(double first, double last, int num_pieces);

}  // namespace otss::internal
