#include "learn/units/unit_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/units/unit_visitor.hpp"
#include "model/units/averaged_loss.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using VectorMap = Eigen::Map<const Eigen::VectorXd>;

// The units are split into this many parts, each with its own sums. The number of parts does not
// depend on the number of threads, so that the sums are always bitwise the same.
constexpr std::size_t kUnitParts = 64;
// The information about the covariance only directs the steps, so some units are enough for it:
// every kSparseUnits-th unit, but at least kInformingUnits and two per free entry. In large logs the
// number of units times the square of the number of free entries is at most kInformationWork.
constexpr double kInformingUnits = 200;
constexpr double kInformationWork = 1e9;

// Returns n: the information is computed from every n-th unit.
std::size_t information_stride(const UnitIndex& index, const Spread& spread) {
  const auto units = static_cast<double>(index.size());
  const auto entries = static_cast<double>(num_free_entries(spread));
  const double sparse =
      std::min(static_cast<double>(kSparseUnits), units / std::max(kInformingUnits, 2 * entries));
  return static_cast<std::size_t>(
      std::max({1.0, sparse, units * entries * entries / kInformationWork}));
}

std::size_t part_begin(std::size_t part, std::size_t count) { return part * count / kUnitParts; }

struct PartSums {
  double log_evidence = 0;
  MatrixXd second_moments, information;
  std::size_t num_units = 0, num_informing = 0;
  double squares = 0, weight = 0, used = 0;  // for the noise variance
};

// Adds the residuals of gaussian rows, with the uncertainty about the unit's deviations.
void add_noise(const UnitRows& rows, const VisitedUnit& unit, double noise_variance,
               PartSums& sums) {
  const auto rank = unit.mean.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const VectorMap direction(rows.directions.data() + r * rank, rank);
    const double variance = direction.dot(unit.covariance * direction);
    const double residual = rows.outcomes[r] - unit.mean_outcome(r);
    sums.squares += rows.weights[r] * (residual * residual + variance);
    sums.used += rows.weights[r] * rows.weights[r] * variance / noise_variance;
    sums.weight += rows.weights[r];
  }
}

void add_to(UnitPass& pass, const PartSums& sums, MatrixXd& information, std::size_t& informing,
            PartSums& noise) {
  pass.log_evidence += sums.log_evidence;
  pass.num_units += sums.num_units;
  pass.target.excess += sums.second_moments;
  information += sums.information;
  informing += sums.num_informing;
  noise.squares += sums.squares;
  noise.used += sums.used;
  noise.weight += sums.weight;
}

UnitPass total_of(const std::vector<PartSums>& parts, const Population& population,
                  OutputFamily family) {
  const Index rank = population.spread.rank();
  const Index entries = num_free_entries(population.spread);
  UnitPass pass;
  pass.target = {MatrixXd::Zero(rank, rank), MatrixXd::Zero(entries, entries)};
  std::size_t informing = 0;
  PartSums noise;
  for (const PartSums& sums : parts) add_to(pass, sums, pass.target.information, informing, noise);
  pass.target.excess /= std::max(1.0, static_cast<double>(pass.num_units));
  pass.target.excess.diagonal().array() -= 1;
  pass.target.information /= std::max(1.0, static_cast<double>(informing));
  pass.target.information = MatrixXd(pass.target.information.selfadjointView<Eigen::Lower>());
  if (family == OutputFamily::kGaussian) {
    pass.noise_variance = noise.squares / noise.weight;
    pass.free_share = std::clamp(1 - noise.used / noise.weight, 0.05, 1.0);
    // UnitMoments leaves out the normalising constant of the normal density.
    pass.log_evidence -= 0.5 * noise.weight * std::log(population.noise_variance);
  }
  return pass;
}

}  // namespace

std::vector<double> linear_predictors_of(const Problem& problem, const Population& population,
                                         int num_threads) {
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, population.layout, population.theta, num_threads, eta);
  return eta;
}

UnitPass visit_units(const Problem& problem, const UnitIndex& index, const Population& population,
                     std::span<const double> etas, std::span<Site> sites, int num_threads) {
  const Spread& spread = population.spread;
  std::vector<double> mean_outcomes(etas.size());
  const std::size_t every = information_stride(index, spread);
  const bool gaussian = problem.family() == OutputFamily::kGaussian;
  std::vector<PartSums> parts(kUnitParts);
  parallel_for(kUnitParts, num_threads, [&](std::size_t part) {
    PartSums& sums = parts[part];
    sums.second_moments = MatrixXd::Zero(spread.rank(), spread.rank());
    sums.information = MatrixXd::Zero(num_free_entries(spread), num_free_entries(spread));
    const auto add = [&](const VisitedUnit& visited) {
      for (std::size_t r = 0; r < visited.rows.size(); ++r) {
        sites[visited.rows[r]] = visited.site(r);
        mean_outcomes[visited.rows[r]] = visited.mean_outcome(r);
      }
      if (visited.rows.empty()) return;
      sums.log_evidence += visited.log_evidence();
      sums.num_units += 1;
      sums.second_moments += visited.covariance;
      sums.second_moments += visited.mean * visited.mean.transpose();
      if (visited.unit % every == 0) {
        add_information(spread, visited.covariance, sums.information);
        sums.num_informing += 1;
      }
      if (gaussian) {
        UnitReader reader(problem, index, spread, etas);
        reader.read(visited.unit);
        add_noise(reader.rows(), visited, population.noise_variance, sums);
      }
    };
    std::vector<std::size_t> units;
    for (std::size_t unit = part_begin(part, index.size());
         unit < part_begin(part + 1, index.size()); ++unit) {
      for (const std::size_t row : index.rows(unit))
        mean_outcomes[row] = problem.family().mean(etas[row]);
      units.push_back(unit);
    }
    UnitVisitor(problem, index, population, etas).visit(std::move(units), sites, add);
  });
  UnitPass pass = total_of(parts, population, problem.family());
  pass.mean_outcomes = std::move(mean_outcomes);
  return pass;
}

namespace {

// Computes -log P(y) of single rows, in the units of the log.
class RowLoss {
 public:
  RowLoss(const Problem& problem, double noise_variance)
      : problem_(problem),
        log_scale_(std::log(problem.outcomes.units().scale)),
        loss_(problem.family(), std::sqrt(noise_variance)) {}

  // The row's predictor has this mean and this variance.
  double at(std::size_t row, double mean, double variance) {
    return log_scale_ + loss_.at(mean, variance, problem_.outcome(row));
  }

 private:
  const Problem& problem_;
  double log_scale_;
  AveragedLoss loss_;
};

}  // namespace

std::vector<double> predictive_losses(const Problem& whole, const Problem& known,
                                      const UnitIndex& index, const Population& population,
                                      std::span<const double> etas, std::span<const Site> sites,
                                      const std::function<bool(std::size_t)>& wanted,
                                      int num_threads) {
  const Spread& spread = population.spread;
  std::vector<double> losses(etas.size(), std::numeric_limits<double>::quiet_NaN());
  parallel_for(kUnitParts, num_threads, [&](std::size_t part) {
    const UnitReader reader(known, index, spread, etas);
    RowLoss loss(whole, population.noise_variance);
    Eigen::VectorXd direction(spread.rank());
    const auto predict = [&](const VisitedUnit& visited) {
      for (const std::size_t row : index.rows(visited.unit)) {
        if (!wanted(row)) continue;
        reader.direction(row, {direction.data(), static_cast<std::size_t>(direction.size())});
        losses[row] = loss.at(row, etas[row] + direction.dot(visited.mean),
                              direction.dot(visited.covariance * direction));
      }
    };
    std::vector<std::size_t> units;
    for (std::size_t unit = part_begin(part, index.size());
         unit < part_begin(part + 1, index.size()); ++unit) {
      if (std::ranges::any_of(index.rows(unit), wanted)) units.push_back(unit);
    }
    UnitVisitor(known, index, population, etas).visit(std::move(units), sites, predict);
  });
  return losses;
}

std::vector<double> new_unit_losses(const Problem& problem, const UnitIndex& index,
                                    const Population& population, std::span<const double> etas) {
  const UnitReader reader(problem, index, population.spread, etas);
  RowLoss loss(problem, population.noise_variance);
  Eigen::VectorXd direction(population.spread.rank());
  std::vector<double> losses(etas.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < losses.size(); ++row) {
    if (std::isnan(etas[row])) continue;
    reader.direction(row, {direction.data(), static_cast<std::size_t>(direction.size())});
    losses[row] = loss.at(row, etas[row], direction.squaredNorm());
  }
  return losses;
}

}  // namespace otss::internal
