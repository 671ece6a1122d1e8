#include "learn/units/marginal_information.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "base/threads.hpp"
#include "engine/group_scores.hpp"
#include "engine/mixture_row.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kInformationParts = 8;  // as in gauss_newton.cpp
// The largest number of multiplications. More would cost more time than better steps save.
constexpr double kMarginalWork = 5e8;
// However many parameters there are, about this many rows per parameter are used.
constexpr double kRowsPerParameter = 4;

// Returns n: every n-th unit is used. `wanted` is the n of a log with many rows per parameter.
std::size_t stride(const UnitIndex& index, const Population& population, std::size_t wanted) {
  const auto parameters = static_cast<double>(population.layout.size());
  const auto units = static_cast<double>(index.size());
  const double rows_per_unit = static_cast<double>(index.num_rows()) / units;
  const double work = units * parameters * parameters * (rows_per_unit + population.spread.rank());
  const double least = kRowsPerParameter * parameters / rows_per_unit;
  const double sparse = std::max(static_cast<double>(wanted), work / kMarginalWork);
  return static_cast<std::size_t>(std::max(1.0, std::min(sparse, units / std::max(1.0, least))));
}

// Computes the terms of one unit after the other. The vectors of a unit's rows are the columns of
// `derivatives` and `directions`, both multiplied by the square root of the site's precision.
class UnitTerms {
 public:
  UnitTerms(const Problem& problem, const UnitIndex& index, const Population& population,
            std::span<const Site> sites)
      : problem_(problem),
        index_(index),
        sites_(sites),
        rank_(population.spread.rank()),
        reader_(problem, index, population.spread, {}),
        row_(population.layout, population.theta),
        size_(static_cast<Index>(population.layout.size())) {}

  void add(std::size_t unit, MatrixXd& sum) {
    const auto rows = index_.rows(unit);
    const auto count = static_cast<Index>(rows.size());
    if (derivatives_.cols() < count) {
      derivatives_.resize(size_, count);
      directions_.resize(rank_, count);
    }
    Index used = 0;
    for (const std::size_t row : rows) {
      const double precision = sites_[row].precision;
      if (problem_.weight(row) == 0 || precision <= 0) continue;
      row_.evaluate(problem_.features->tile(row / kTileRows) + row % kTileRows);
      row_.derivative(std::sqrt(precision),
                      {derivatives_.col(used).data(), static_cast<std::size_t>(size_)});
      reader_.direction(row, {directions_.col(used).data(), static_cast<std::size_t>(rank_)});
      directions_.col(used++) *= std::sqrt(precision);
    }
    if (used == 0) return;  // a product over no rows would be a division by zero inside Eigen
    const auto derivatives = derivatives_.leftCols(used);
    sum.selfadjointView<Eigen::Lower>().rankUpdate(derivatives);
    if (rank_ == 0) return;
    const auto directions = directions_.leftCols(used);
    MatrixXd precision = directions * directions.transpose();
    precision.diagonal().array() += 1;
    const MatrixXd lost = precision.llt().matrixL().solve(directions * derivatives.transpose());
    sum.selfadjointView<Eigen::Lower>().rankUpdate(lost.transpose(), -1);
  }

 private:
  const Problem& problem_;
  const UnitIndex& index_;
  std::span<const Site> sites_;
  Index rank_;
  UnitReader reader_;
  MixtureRow row_;
  Index size_;
  MatrixXd derivatives_, directions_;
};

}  // namespace

MatrixXd marginal_information(const Problem& problem, const UnitIndex& index,
                              const Population& population, std::span<const Site> sites,
                              std::size_t every, int num_threads) {
  const std::size_t step = stride(index, population, every);
  const std::size_t taken = (index.size() + step - 1) / step;
  const auto size = static_cast<Index>(population.layout.size());
  std::vector<MatrixXd> sums(kInformationParts, MatrixXd::Zero(size, size));
  parallel_for(kInformationParts, num_threads, [&](std::size_t part) {
    UnitTerms terms(problem, index, population, sites);
    const std::size_t end = (part + 1) * taken / kInformationParts;
    for (std::size_t i = part * taken / kInformationParts; i < end; ++i)
      terms.add(i * step, sums[part]);
  });
  for (std::size_t part = 1; part < kInformationParts; ++part) sums[0] += sums[part];
  const double scale = static_cast<double>(index.size()) / static_cast<double>(taken);
  return scale * MatrixXd(sums[0].selfadjointView<Eigen::Lower>());
}

FitCovariance marginal_covariance(const Problem& problem, const UnitIndex& index,
                                  const Population& population, std::span<const Site> sites,
                                  std::span<const double> mean_outcomes, const Penalty& penalty,
                                  std::span<const std::uint32_t> groups, int num_threads) {
  const MatrixXd information =
      marginal_information(problem, index, population, sites, 1, num_threads);
  const auto slopes_of = [&](std::size_t first, std::span<double> slopes) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const std::size_t row = first + i;
      slopes[i] = problem.weight(row) * (mean_outcomes[row] - problem.outcome(row)) /
                  population.noise_variance;
    }
  };
  return clustered_covariance(
      information,
      group_outer_products({*problem.features, problem.rows, groups}, population.layout,
                           population.theta, slopes_of, num_threads),
      penalty, population.layout);
}

}  // namespace otss::internal
