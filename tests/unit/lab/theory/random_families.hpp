// Two-expert families of every shape, for bounds that must hold in all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "lab/theory/two_experts.hpp"

namespace otss {

using namespace internal;

// A nondecreasing share, straight between knots, that may jump at them.
struct BrokenLine {
  std::vector<double> knots;     // 0 … 1
  std::vector<double> from, to;  // values at the two ends of each piece

  double slope(std::size_t piece) const {
    return (to[piece] - from[piece]) / (knots[piece + 1] - knots[piece]);
  }
  double operator()(double x) const {
    const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
    const std::size_t piece = above - knots.begin() - 1;
    return from[piece] + slope(piece) * (x - knots[piece]);
  }
};

inline std::vector<double> random_cells(Rng& rng, std::size_t count) {
  std::vector<double> cells = {0, 1};
  while (cells.size() < count + 1) cells.push_back(rng.uniform());
  std::sort(cells.begin(), cells.end());
  return cells;
}

inline BrokenLine random_broken_line(Rng& rng, bool jumps) {
  BrokenLine line;
  const std::size_t pieces = 1 + rng.below(6);
  line.knots = random_cells(rng, pieces);
  std::vector<double> values(2 * pieces);
  for (double& value : values) value = rng.uniform();
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < pieces; ++i) {
    line.from.push_back(jumps ? values[2 * i] : values[i]);
    line.to.push_back(jumps ? values[2 * i + 1] : values[i + 1]);
  }
  return line;
}

inline std::vector<double> random_normals(Rng& rng, std::size_t size, double scale = 1) {
  std::vector<double> v(size);
  for (double& entry : v) entry = scale * rng.normal();
  return v;
}

inline TwoExperts random_family(Rng& rng, const BrokenLine& line) {
  const std::size_t num_factors = 1 + rng.below(8);
  return {line, random_normals(rng, num_factors), random_normals(rng, num_factors), line.knots};
}

}  // namespace otss
