#include "lab/theory/two_experts.hpp"

#include <algorithm>
#include <cstddef>

namespace otss::internal {
namespace {

// Number of bisection steps. The last interval has length 2^-60, which is negligible in an integral
// over [0, 1].
constexpr int kHalvings = 60;

// Returns the smallest x in [0, 1] where the condition holds, or 1 if the condition holds nowhere.
// Precondition: a condition that holds at x holds at every larger x too.
template <class Condition>
double first_where(const Condition& holds) {
  if (holds(0.0)) return 0;
  double below = 0;
  double above = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (below + above) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

std::vector<double> merged(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  return all;
}

// Returns the integral over one cell of (α* - m)², where m is the mean of α* in the cell.
double within_cell(const TwoExperts& family, double from, double to) {
  if (to <= from) return 0;
  std::vector<double> cuts = {from};
  for (const double cut : family.cuts)
    if (from < cut && cut < to) cuts.push_back(cut);
  cuts.push_back(to);
  const double mean = integrate(family.share, cuts) / (to - from);
  return integrate([&](double x) { return (family.share(x) - mean) * (family.share(x) - mean); },
                   cuts);
}

}  // namespace

double TwoExperts::squared_distance() const {
  double sum = 0;
  for (std::size_t j = 0; j < first.size(); ++j)
    sum += (first[j] - second[j]) * (first[j] - second[j]);
  return sum;
}

double TwoExperts::first_at_least(double level) const {
  return first_where([&](double x) { return share(x) >= level; });
}

double TwoExperts::first_above(double level) const {
  return first_where([&](double x) { return share(x) > level; });
}

double pooled_oracle_error(const TwoExperts& family) {
  return family.squared_distance() * within_cell(family, 0, 1);
}

double hard_floor(const TwoExperts& family, std::span<const double> cells) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < cells.size(); ++i)
    sum += within_cell(family, cells[i], cells[i + 1]);
  return family.squared_distance() * sum;
}

double overlap_floor(double squared_distance, const Overlap& overlap, int regions) {
  const double length = overlap.b - overlap.a;
  return squared_distance * overlap.rise * overlap.rise * length * length * length /
         (12.0 * regions * regions);
}

double lipschitz_ceiling(double squared_distance, double lipschitz, int regions) {
  return squared_distance * lipschitz * lipschitz / (4.0 * regions * regions);
}

double sharp_lipschitz_ceiling(double squared_distance, double lipschitz, int regions) {
  return lipschitz_ceiling(squared_distance, lipschitz, regions) / 3;
}

double aligned_hard_error(const TwoExperts& family) {
  const std::vector<double> cells = {0, family.first_at_least(0.5), 1};
  return hard_floor(family, cells);
}

double aligned_hard_bound(const TwoExperts& family) {
  // The integrand min(α*, 1 - α*) has a kink where the share passes 1/2.
  const std::vector<double> half = {family.first_at_least(0.5)};
  const double mean = integrate(
      [&](double x) {
        const double a = std::min(family.share(x), 1 - family.share(x));
        return a * a;
      },
      merged(family.cuts, half));
  return family.squared_distance() * mean;
}

double aligned_hard_bound(const TwoExperts& family, double epsilon) {
  const double between = family.first_above(1 - epsilon) - family.first_at_least(epsilon);
  return family.squared_distance() * (epsilon * epsilon + between / 4);
}

}  // namespace otss::internal
