#include "learn/checks/check_regions.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/methods/routing/k_means.hpp"
#include "learn/problem/large_problem.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kRows = 20'000;        // at most this many rows are clustered
constexpr std::size_t kRowsPerRegion = 100;  // least number of rows per region, on average
// A region with fewer rows than this is skipped, because its variances are too uncertain.
constexpr double kFewestRows = 25;
constexpr int kMostRegions = 6;
// A factor hardly varies in a region if its variance there is at most this share of its variance
// over all rows.
constexpr double kHardlyVaries = 0.05;
// describe() names a second column only if the region's centre is at least this many standard
// deviations away from the mean of the log.
constexpr double kStandsOut = 0.7;

MatrixXd columns_of(const Problem& problem, int first, int count) {
  MatrixXd values(count, static_cast<Index>(problem.num_rows()));
  for (Index i = 0; i < values.cols(); ++i) {
    for (int j = 0; j < count; ++j)
      values(j, i) = problem.features->at(static_cast<std::size_t>(i), first + j);
  }
  return values;
}

// Returns words for the one or two columns in which the region differs most from the mean of the
// log, for example "high income, region=north".
std::string describe(const Eigen::VectorXd& center, const std::vector<std::string>& names) {
  std::vector<Index> order(center.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](Index j) { return std::abs(center[j]); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i) {
    const double value = center[order[i]];
    if (i > 0 && std::abs(value) < kStandsOut) break;
    const std::string& name = names[order[i]];
    const bool is_level = name.find('=') != std::string::npos;
    const char* how = is_level ? (value > 0 ? "" : "not ") : value > 0 ? "high " : "low ";
    text += fmt::format("{}{}{}", i > 0 ? ", " : "", how, name);
  }
  return text;
}

struct Regions {
  MatrixXd centers;      // one column per region
  Eigen::VectorXd rows;  // number of rows in each region
  MatrixXd variance;     // variance(j, r) of factor j in region r
};

// Assigns every row to the nearest centre and returns the resulting regions.
Regions regions_of(const Problem& problem, const KMeans& clusters) {
  const Eigen::Map<const MatrixXd> centers(clusters.centers.data(), problem.num_contexts,
                                           clusters.num_clusters);
  const MatrixXd contexts = columns_of(problem, 0, problem.num_contexts);
  const MatrixXd factors = columns_of(problem, problem.num_contexts, problem.num_factors());
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(centers.cols());
  MatrixXd sums = MatrixXd::Zero(factors.rows(), centers.cols());
  MatrixXd squares = sums;
  for (Index i = 0; i < contexts.cols(); ++i) {
    Index region = 0;
    (centers.colwise() - contexts.col(i)).colwise().squaredNorm().minCoeff(&region);
    rows[region] += 1;
    sums.col(region) += factors.col(i);
    squares.col(region) += factors.col(i).cwiseAbs2();
  }
  const Eigen::VectorXd per_row = rows.cwiseMax(1.0).cwiseInverse();
  const MatrixXd means = sums * per_row.asDiagonal();
  return {centers, rows, squares * per_row.asDiagonal() - means.cwiseAbs2()};
}

}  // namespace

void check_regions(const LoggedData& log, int num_threads, Findings& findings) {
  const SumTarget any_outcomes{.family = OutputFamily::kGaussian};
  const Problem problem = log.num_rows() > kRows ? spread_rows(log, any_outcomes, kRows).problem
                                                 : whole_problem(log, any_outcomes.family);
  if (problem.num_contexts == 0) return;
  const auto most = static_cast<int>(problem.num_rows() / kRowsPerRegion);
  const int wanted = std::min({kMostRegions, most, distinct_contexts(problem, kMostRegions)});
  if (wanted < 2) return;
  const Regions regions =
      regions_of(problem, k_means(problem, wanted, {.starts = 3, .num_threads = num_threads}));
  const double scale =
      static_cast<double>(log.num_rows()) / static_cast<double>(problem.num_rows());
  for (Index region = 0; region < regions.rows.size(); ++region) {
    if (regions.rows[region] < kFewestRows) continue;
    for (Index j = 0; j < regions.variance.rows(); ++j) {
      const double variance = regions.variance(j, region);
      if (variance > kHardlyVaries) continue;
      const std::string& factor = log.encoder().factors[j].name;
      findings.push_back(
          {Severity::kWarning,
           "thin_region",
           fmt::format(
               "factor '{}' hardly varies among contexts with {} (about {:.0f} rows): its variance "
               "there is {:.2g} % of its variance over all rows, so its weight there is "
               "extrapolated; collect rows of these contexts in which this factor varies more",
               factor, describe(regions.centers.col(region), log.encoder().encoded_names()),
               regions.rows[region] * scale, 100 * std::max(0.0, variance)),
           {factor}});
    }
  }
}

}  // namespace otss::internal
