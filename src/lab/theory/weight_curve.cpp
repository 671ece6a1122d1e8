#include "lab/theory/weight_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace otss::internal {
namespace {

constexpr int kGridPieces = 64;
constexpr int kGilbertSteps = 2000;

using Vector = std::vector<double>;

double product(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> cuts_between(const WeightCurve& curve, double from, double to) {
  std::vector<double> cuts = {from};
  for (const double cut : curve.cuts)
    if (from < cut && cut < to) cuts.push_back(cut);
  cuts.push_back(to);
  return cuts;
}

// Returns the integral over one cell of the squared distance of w* from its mean in the cell.
double variation_in_cell(const WeightCurve& curve, double from, double to) {
  if (to <= from) return 0;
  const std::vector<double> cuts = cuts_between(curve, from, to);
  double sum = 0;
  for (std::size_t j = 0; j < curve.weights(from).size(); ++j) {
    const auto entry = [&](double x) { return curve.weights(x)[j]; };
    const double mean = integrate(entry, cuts) / (to - from);
    sum += integrate([&](double x) { return (entry(x) - mean) * (entry(x) - mean); }, cuts);
  }
  return sum;
}

// Returns the slopes of w* between neighbouring points of the grid.
std::vector<Vector> slopes_of(const WeightCurve& curve, double a, double b) {
  std::vector<double> grid = equal_cuts(a, b, kGridPieces);
  const std::vector<double> cuts = cuts_between(curve, a, b);
  grid.insert(grid.end(), cuts.begin(), cuts.end());
  std::ranges::sort(grid);
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  std::vector<Vector> slopes;
  for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
    Vector slope = curve.weights(grid[i + 1]);
    const Vector start = curve.weights(grid[i]);
    for (std::size_t j = 0; j < slope.size(); ++j)
      slope[j] = (slope[j] - start[j]) / (grid[i + 1] - grid[i]);
    slopes.push_back(std::move(slope));
  }
  return slopes;
}

// Returns the point of the convex hull of `points` that is nearest to 0.
Vector nearest_to_zero(const std::vector<Vector>& points) {
  Vector nearest = points.front();
  for (int step = 0; step < kGilbertSteps; ++step) {
    const Vector& lowest =
        *std::ranges::min_element(points, {}, [&](const Vector& p) { return product(p, nearest); });
    Vector towards = lowest;
    for (std::size_t j = 0; j < towards.size(); ++j) towards[j] -= nearest[j];
    const double length = product(towards, towards);
    if (length == 0) break;
    const double part = std::clamp(-product(nearest, towards) / length, 0.0, 1.0);
    if (part == 0) break;
    for (std::size_t j = 0; j < towards.size(); ++j) nearest[j] += part * towards[j];
  }
  return nearest;
}

}  // namespace

WeightCurve mixture_curve(std::function<std::vector<double>(double x)> shares,
                          std::vector<double> experts, std::vector<double> cuts) {
  return {[shares = std::move(shares), experts = std::move(experts)](double x) {
            const Vector alpha = shares(x);
            const std::size_t num_factors = experts.size() / alpha.size();
            Vector w(num_factors, 0.0);
            for (std::size_t e = 0; e < experts.size(); ++e)
              w[e % num_factors] += alpha[e / num_factors] * experts[e];
            return w;
          },
          std::move(cuts)};
}

double hard_floor(const WeightCurve& curve, std::span<const double> cells) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < cells.size(); ++i)
    sum += variation_in_cell(curve, cells[i], cells[i + 1]);
  return sum;
}

ProjectedOverlap best_projection(const WeightCurve& curve, double a, double b) {
  const std::vector<Vector> slopes = slopes_of(curve, a, b);
  Vector direction = nearest_to_zero(slopes);
  const double norm = std::sqrt(product(direction, direction));
  if (norm == 0) return {std::move(direction), {0, a, b}};
  for (double& entry : direction) entry /= norm;
  double rise = product(slopes.front(), direction);
  for (const Vector& slope : slopes) rise = std::min(rise, product(slope, direction));
  return {std::move(direction), {std::max(0.0, rise), a, b}};
}

double projected_overlap_floor(const Overlap& overlap, int regions) {
  return overlap_floor(1, overlap, regions);
}

}  // namespace otss::internal
