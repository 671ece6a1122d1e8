#include "learn/units/unit_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using MatrixMap = Eigen::Map<const MatrixXd>;
using VectorMap = Eigen::Map<const Eigen::VectorXd>;

// The units are split into this many parts, each with its own sums. The number of parts does not
// depend on the number of threads, so that the sums are always bitwise the same.
constexpr std::size_t kUnitParts = 64;
// The information about the covariance is computed from every n-th unit, such that the number of
// units times the square of the number of free entries is about this. It only directs the steps.
constexpr double kInformationWork = 1e9;

std::size_t part_begin(std::size_t part, std::size_t count) { return part * count / kUnitParts; }

struct PartSums {
  double log_evidence = 0;
  MatrixXd second_moments, information;
  std::size_t num_units = 0, num_informing = 0;
  double squares = 0, weight = 0, used = 0;  // for the noise variance
};

std::vector<double> linear_predictors_of(const Problem& problem, const Population& population,
                                         int num_threads) {
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, population.layout, population.theta, num_threads, eta);
  return eta;
}

MatrixMap covariance_of(const UnitMoments& moments) {
  const auto rank = static_cast<Index>(moments.mean().size());
  return {moments.covariance().data(), rank, rank};
}

VectorMap mean_of(const UnitMoments& moments) {
  return {moments.mean().data(), static_cast<Index>(moments.mean().size())};
}

// Adds the residuals of gaussian rows, with the uncertainty about the unit's deviations.
void add_noise(const UnitRows& rows, const UnitMoments& moments, double noise_variance,
               PartSums& sums) {
  const auto rank = static_cast<Index>(moments.mean().size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const VectorMap direction(rows.directions.data() + r * rank, rank);
    const double variance = direction.dot(covariance_of(moments) * direction);
    const double residual = rows.outcomes[r] - moments.mean_outcomes()[r];
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

void UnitReader::direction(std::size_t row, std::span<double> out) const {
  const Index rank = spread_.rank();
  for (Index k = 0; k < rank; ++k) out[k] = spread_.basis(0, k);
  for (int j = 0; j < problem_.num_factors(); ++j) {
    const double z = problem_.features->at(row, problem_.num_contexts + j);
    if (spread_.is_diagonal()) {
      out[j + 1] = z * spread_.basis(j + 1, j + 1);
    } else {
      for (Index k = 0; k < rank; ++k) out[k] += z * spread_.basis(j + 1, k);
    }
  }
}

void UnitReader::read(std::size_t unit) {
  indices_.clear();
  offsets_.clear();
  outcomes_.clear();
  weights_.clear();
  for (const std::size_t row : index_.rows(unit)) {
    if (problem_.weight(row) == 0) continue;
    indices_.push_back(row);
    offsets_.push_back(etas_[row]);
    outcomes_.push_back(problem_.outcome(row));
    weights_.push_back(problem_.weight(row));
  }
  const std::size_t rank = spread_.rank();
  directions_.resize(indices_.size() * rank);
  for (std::size_t r = 0; r < indices_.size(); ++r)
    direction(indices_[r], std::span(directions_).subspan(r * rank, rank));
}

UnitPass visit_units(const Problem& problem, const UnitIndex& index, const Population& population,
                     std::span<Site> sites, int num_threads) {
  const Spread& spread = population.spread;
  const std::vector<double> etas = linear_predictors_of(problem, population, num_threads);
  std::vector<double> mean_outcomes(etas.size());
  const auto entries = static_cast<double>(num_free_entries(spread));
  const auto every = static_cast<std::size_t>(1 + static_cast<double>(index.size()) * entries *
                                                      entries / kInformationWork);
  const bool gaussian = problem.family() == OutputFamily::kGaussian;
  std::vector<PartSums> parts(kUnitParts);
  parallel_for(kUnitParts, num_threads, [&](std::size_t part) {
    PartSums& sums = parts[part];
    sums.second_moments = MatrixXd::Zero(spread.rank(), spread.rank());
    sums.information = MatrixXd::Zero(num_free_entries(spread), num_free_entries(spread));
    UnitReader reader(problem, index, spread, etas);
    UnitMoments moments(problem.family(), std::sqrt(population.noise_variance), spread.rank());
    std::vector<Site> own;
    const std::size_t end = part_begin(part + 1, index.size());
    for (std::size_t unit = part_begin(part, index.size()); unit < end; ++unit) {
      if (unit % 1024 == 0) check_interrupt();
      for (const std::size_t row : index.rows(unit))
        mean_outcomes[row] = problem.family().mean(etas[row]);
      reader.read(unit);
      const auto rows = reader.indices();
      if (rows.empty()) continue;
      own.clear();
      for (const std::size_t row : rows) own.push_back(sites[row]);
      moments.compute(reader.rows(), own);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        sites[rows[r]] = own[r];
        mean_outcomes[rows[r]] = moments.mean_outcomes()[r];
      }
      sums.log_evidence += moments.log_evidence();
      sums.num_units += 1;
      sums.second_moments += covariance_of(moments);
      sums.second_moments += mean_of(moments) * mean_of(moments).transpose();
      if (unit % every == 0) {
        add_information(spread, covariance_of(moments), sums.information);
        sums.num_informing += 1;
      }
      if (gaussian) add_noise(reader.rows(), moments, population.noise_variance, sums);
    }
  });
  UnitPass pass = total_of(parts, population, problem.family());
  pass.mean_outcomes = std::move(mean_outcomes);
  return pass;
}

std::vector<double> predictive_losses(const Problem& whole, const Problem& known,
                                      const UnitIndex& index, const Population& population,
                                      std::span<const Site> sites,
                                      const std::function<bool(std::size_t)>& wanted,
                                      int num_threads) {
  const Spread& spread = population.spread;
  const std::vector<double> etas = linear_predictors_of(whole, population, num_threads);
  const OutputFamily family = whole.family();
  const bool gaussian = family == OutputFamily::kGaussian;
  const double weight = gaussian ? 1 / population.noise_variance : 1;
  const double scale =
      whole.outcomes.units().scale * (gaussian ? std::sqrt(population.noise_variance) : 1.0);
  std::vector<double> losses(etas.size(), std::numeric_limits<double>::quiet_NaN());
  parallel_for(kUnitParts, num_threads, [&](std::size_t part) {
    UnitReader reader(known, index, spread, etas);
    UnitMoments moments(family, std::sqrt(population.noise_variance), spread.rank());
    std::vector<Site> own;
    Eigen::VectorXd direction(spread.rank());
    const std::size_t end = part_begin(part + 1, index.size());
    for (std::size_t unit = part_begin(part, index.size()); unit < end; ++unit) {
      const auto rows = index.rows(unit);
      if (std::ranges::none_of(rows, wanted)) continue;
      reader.read(unit);
      own.clear();
      for (const std::size_t row : reader.indices()) own.push_back(sites[row]);
      moments.compute(reader.rows(), own);
      for (const std::size_t row : rows) {
        if (!wanted(row)) continue;
        reader.direction(row, {direction.data(), static_cast<std::size_t>(direction.size())});
        const double variance = direction.dot(covariance_of(moments) * direction);
        const double outcome = whole.outcome(row);
        // log_loss() minus loss() is the part of -log P(y) that does not depend on eta.
        const double constant = family.log_loss(0, outcome) - family.loss(0, outcome);
        const double loss = variance > 0 ? -row_moments(family, etas[row], outcome, weight,
                                                        direction.dot(mean_of(moments)), variance)
                                                .log_mass
                                         : weight * family.loss(etas[row], outcome);
        losses[row] = loss + constant + std::log(scale);
      }
    }
  });
  return losses;
}

}  // namespace otss::internal
