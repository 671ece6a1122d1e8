// The two-expert family of the paper's theory, x ~ U[0, 1]:
//
//   w*(x) = α*(x) β_1 + (1 - α*(x)) β_2,   α*: [0, 1] → [0, 1] nondecreasing,   Δβ = β_1 - β_2
//
// and what the best weight map of a class misses: inf over the class of E‖w*(X) - w(X)‖². Errors
// are squared weights. Integrals are by quadrature, exact to rounding between the cuts.
#pragma once

#include <span>
#include <vector>

#include "lab/theory/quadrature.hpp"

namespace otss {

struct TwoExperts {
  RealFunction share;                 // α*
  std::vector<double> first, second;  // β_1, β_2
  std::vector<double> cuts = {0, 1};  // of [0, 1], wherever α* jumps or bends

  double squared_distance() const;  // ‖Δβ‖²

  // The least x from which α* is at least (or above) a level; 1 if nowhere.
  double first_at_least(double level) const;
  double first_above(double level) const;
};

// One weight for everybody: ‖Δβ‖² Var α*(X) (Proposition "Pooled oracle error in the two-expert
// family").
double pooled_oracle_error(const TwoExperts& family);

// One weight for each cell between neighbouring `cells` (0, …, 1): H(C) = E tr Var(w*(X) | C(X))
// (Proposition "Hard-partition decomposition"). For cells of contexts in any dimension see
// decompositions.hpp.
double hard_floor(const TwoExperts& family, std::span<const double> cells);

// What any partition into at most `regions` intervals misses at least, where α* rises by at least
// κ (t - s) between s < t of [a, b]: ‖Δβ‖² κ² (b - a)³ / (12 M²) (Corollary "Quantitative overlap
// floor"). Equal bins meet it with equality when α* is a straight line of slope κ on all of [0, 1].
struct Overlap {
  double rise = 0;  // κ
  double a = 0;
  double b = 1;
};
double overlap_floor(double squared_distance, const Overlap& overlap, int regions);

// What `regions` equal bins miss at most when α* is Lipschitz: ‖Δβ‖² L² / (4 M²) with the midpoint
// of each bin, the paper's partner of the overlap floor. The mean of each bin does better: since
// Var f(U) <= L² Var U, the 4 may be a 12, and a straight line meets floor and ceiling at once.
double lipschitz_ceiling(double squared_distance, double lipschitz, int regions);
double sharp_lipschitz_ceiling(double squared_distance, double lipschitz, int regions);

// The cut where α* passes 1/2: H(C_1/2), one weight on either side.
double aligned_hard_error(const TwoExperts& family);

// What it is at most (Proposition "Aligned hard upper bound near one-hot truth"):
// ‖Δβ‖² E min{α*², (1 - α*)²}, the error of the experts themselves on their own sides.
double aligned_hard_bound(const TwoExperts& family);

// Its ε form, 0 < ε < 1/2: ‖Δβ‖² (ε² + P(ε <= α* <= 1 - ε) / 4). Small where few contexts are
// between the experts.
double aligned_hard_bound(const TwoExperts& family, double epsilon);

}  // namespace otss
