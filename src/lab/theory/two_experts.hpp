// Defines the two-expert family of the paper's theory, with x ~ U[0, 1]:
//
//   w*(x) = α*(x) β_1 + (1 - α*(x)) β_2,   α*: [0, 1] → [0, 1] nondecreasing,   Δβ = β_1 - β_2
//
// The error of a weight map w is E‖w*(X) - w(X)‖², in squared weights. For several kinds of weight
// maps, such as maps that are constant on each cell of a partition, this header computes the error
// of the best map. Integrals are computed by quadrature and are exact up to rounding if α* is
// smooth between the cuts.
#pragma once

#include <span>
#include <vector>

#include "lab/theory/quadrature.hpp"

namespace otss::internal {

struct TwoExperts {
  RealFunction share;                 // α*
  std::vector<double> first, second;  // β_1, β_2
  std::vector<double> cuts = {0, 1};  // 0, every discontinuity of α* or its derivative, and 1

  double squared_distance() const;  // ‖Δβ‖²

  // These functions return the smallest x with α*(x) >= level (first_at_least) or α*(x) > level
  // (first_above), or 1 if there is no such x.
  double first_at_least(double level) const;
  double first_above(double level) const;
};

// Returns the least error of one weight vector for all contexts (Proposition "Pooled oracle error
// in the two-expert family"). It is the squared distance of the experts times the variance of
// α*(X), the share of the first expert.
double pooled_oracle_error(const TwoExperts& family);

// Returns the least error of a partition with one weight vector per cell: the mean over contexts of
// the summed variances of w* within the cell (Proposition "Hard-partition decomposition"). `cells`
// has the boundaries 0, …, 1 of the cells. For cells of contexts in any dimension see
// decompositions.hpp.
double hard_floor(const TwoExperts& family, std::span<const double> cells);

// The condition that α*(t) - α*(s) >= κ (t - s) for all s < t in [a, b], where α* is the share of
// the first expert. If this condition holds, every partition into at most M = `regions` intervals
// has at least the following error, where Δβ is the difference of the experts (Corollary
// "Quantitative overlap floor"):
//
//   ‖Δβ‖² κ² (b - a)³ / (12 M²)
//
// Equal bins attain this bound if α* is linear with slope κ on all of [0, 1].
struct Overlap {
  double rise = 0;  // κ
  double a = 0;
  double b = 1;
};
double overlap_floor(double squared_distance, const Overlap& overlap, int regions);

// These functions return upper bounds on the error of M = `regions` equal bins. α*, the share of
// the first expert, must be Lipschitz with constant L; Δβ is the difference of the experts.
// lipschitz_ceiling is the paper's bound: each bin uses the weights w* at its midpoint.
// sharp_lipschitz_ceiling is smaller: each bin uses the mean of w* in the bin.
//
//   lipschitz_ceiling         ‖Δβ‖² L² / (4 M²)
//   sharp_lipschitz_ceiling   ‖Δβ‖² L² / (12 M²)
//
// If α* is linear, the error of equal bins equals both overlap_floor and sharp_lipschitz_ceiling.
double lipschitz_ceiling(double squared_distance, double lipschitz, int regions);
double sharp_lipschitz_ceiling(double squared_distance, double lipschitz, int regions);

// Returns the least error of a partition into two cells. Their boundary is where α*, the share of
// the first expert, passes 1/2.
double aligned_hard_error(const TwoExperts& family);

// Returns an upper bound on aligned_hard_error(): the error if each cell uses the weights of its
// dominant expert (Proposition "Aligned hard upper bound near one-hot truth"). With the share α* of
// the first expert and the difference Δβ of the experts, it is
//
//   ‖Δβ‖² E min{α*², (1 - α*)²}
double aligned_hard_bound(const TwoExperts& family);

// Returns a larger upper bound on aligned_hard_error(), for 0 < ε < 1/2. α* is the share of the
// first expert, and Δβ is the difference of the experts:
//
//   ‖Δβ‖² (ε² + P(ε <= α* <= 1 - ε) / 4)
//
// This bound is small if α* is close to 0 or 1 in most contexts.
double aligned_hard_bound(const TwoExperts& family, double epsilon);

}  // namespace otss::internal
