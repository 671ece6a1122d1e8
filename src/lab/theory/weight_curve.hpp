// Computes the least error of hard regions for any weight map on [0, 1], such as a mixture of K
// experts. The paper's overlap floor is about two experts; a projection on a direction reduces K
// experts to the same argument (the proof of Theorem "Hard-versus-soft rate separation").
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lab/theory/two_experts.hpp"

namespace otss::internal {

// The true weights w*(x) of the contexts x ~ U[0, 1].
struct WeightCurve {
  std::function<std::vector<double>(double x)> weights;
  std::vector<double> cuts = {0, 1};  // 0, every discontinuity of w* or its derivative, and 1
};

// Returns the curve of K experts: w*(x) = sum_k share_k(x) beta_k. `shares` returns the K shares of a
// context; `experts` is K × J.
WeightCurve mixture_curve(std::function<std::vector<double>(double x)> shares,
                          std::vector<double> experts, std::vector<double> cuts = {0, 1});

// Returns the least error of a partition with one weight vector per cell. `cells` has the boundaries
// 0, …, 1 of the cells.
double hard_floor(const WeightCurve& curve, std::span<const double> cells);

// A direction v with |v| = 1, and the least rise of v'w*(x) on an interval:
// v'w*(t) - v'w*(s) >= rise (t - s) for all s < t in [a, b].
struct ProjectedOverlap {
  std::vector<double> direction;
  Overlap overlap;
};

// Returns the direction with the largest rise on [a, b]. The largest rise is the distance of 0 from
// the convex hull of the slopes of w*, and the direction is that of the nearest point, which is found
// by Gilbert's algorithm. The rise is 0 if the hull contains 0: then w* has no sustained drift on the
// interval. Slopes are taken between neighbouring points of a grid that contains the cuts, so the
// result is exact if w* is straight between the cuts.
ProjectedOverlap best_projection(const WeightCurve& curve, double a, double b);

// Returns a lower bound on the error of every partition into at most M = `regions` intervals:
//
//   rise² (b - a)³ / (12 M²)
double projected_overlap_floor(const Overlap& overlap, int regions);

}  // namespace otss::internal
