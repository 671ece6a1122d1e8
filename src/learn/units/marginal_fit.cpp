#include "learn/units/marginal_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/units/marginal_information.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The damping of the covariance's steps (spread.hpp): at first, after a good step, after a bad one.
constexpr double kFirstDamping = 0.01, kLeastDamping = 0.002, kDampingFall = 0.3, kDampingRise = 6;
// After this many bad steps in a row, the fit stops at the best point.
constexpr int kMostBadSteps = 5;
constexpr double kScoringRidge = 1e-9;  // relative to the trace of the information

// The objective and everything that a step needs, at one point.
struct Point {
  Population population;
  std::vector<double> etas;  // the linear predictor of each row without deviations
  std::vector<Site> sites;
  UnitPass pass;
  double objective = -std::numeric_limits<double>::infinity();
  VectorXd theta_step;
};

// Returns offsets o with mean(eta + o) = mean_outcomes.
RowOffsets offsets_of(const Problem& problem, std::span<const double> etas,
                      const std::vector<double>& mean_outcomes) {
  constexpr double kMargin = 1e-12;  // keeps probabilities away from 0 and 1
  std::vector<double> offsets(etas.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    double mean = mean_outcomes[i];
    if (problem.family() == OutputFamily::kBernoulli) mean = std::clamp(mean, kMargin, 1 - kMargin);
    offsets[i] = problem.family().link(mean) - etas[i];
  }
  return RowOffsets(offsets);
}

// Changes theta such that a change of the covariance alone hardly changes the mean outcomes.
// `before` and `after` are the variances of the deviations' contribution to eta. They are about the
// traces of the covariances, because factors are standardised.
void keep_means(OutputFamily family, const MixtureLayout& layout, double before, double after,
                std::vector<double>& theta) {
  if (family == OutputFamily::kBernoulli) {
    // The mean of the logistic function of a normal variable with the variance v is about the
    // logistic function of mean / sqrt(1 + kLogistic v).
    constexpr double kLogistic = 0.346;
    const double scale = std::sqrt((1 + kLogistic * after) / (1 + kLogistic * before));
    for (std::size_t i = layout.baseline(); i < layout.size(); ++i) theta[i] *= scale;
  }
  // The mean of exp(s) is exp(v / 2).
  if (family == OutputFamily::kPoisson)
    theta[layout.baseline() + layout.num_contexts] -= 0.5 * (after - before);
}

double total_variance(const Spread& spread) { return spread.basis.squaredNorm(); }

// Predicts where the total variance of the deviations would settle. Theta and the covariance depend
// on each other: if both grow, the mean outcomes stay nearly the same. Steps that ignore this are
// too short in that direction, each by the same factor. So the steps are a geometric series, whose
// sum is known (Aitken's extrapolation).
class ScaleSeries {
 public:
  explicit ScaleSeries(const Spread& start) : last_(total_variance(start)) {}

  void add(const Spread& spread, bool extrapolated) {
    const double now = total_variance(spread);
    step_ = now - last_;
    last_ = now;
    // Two ordinary steps are needed after an extrapolation.
    if (extrapolated) wait();
    if (wait_ > 0) --wait_;
  }

  void wait() { wait_ = kWait; }

  // Returns the factor by which to multiply a covariance after its next step. Returns 1 if the steps
  // are not yet a series.
  double factor(const Spread& next) const {
    const double variance = total_variance(next);
    const double step = variance - last_;
    const double ratio = step_ == 0 ? 0 : step / step_;
    if (wait_ > 0 || ratio < kLeastRatio || ratio > 1) return 1;
    const double rest = step * std::min(ratio / (1 - ratio), kMostSteps);
    return std::clamp((variance + rest) / variance, 0.5, 2.0);
  }

 private:
  static constexpr int kWait = 3;
  static constexpr double kLeastRatio = 0.3, kMostSteps = 4;
  double last_;
  double step_ = 0;
  int wait_ = kWait;
};

// Fits one population. An object belongs to one call of fit_marginal().
class MarginalFitter {
 public:
  MarginalFitter(const Problem& problem, const UnitIndex& index, const PopulationPrior& prior,
                 const MarginalEffort& effort)
      : problem_(problem), index_(index), prior_(prior), effort_(effort) {}

  Point start(Population population, std::vector<Site> sites) const {
    Point point{std::move(population), {}, std::move(sites), {}, 0, {}};
    return visited(std::move(point), true);
  }

  // Returns the point of another population, which differs from that of `from`.
  Point next(const Point& from, Population population) const {
    Point point{std::move(population), from.etas, from.sites, {}, 0, {}};
    return visited(std::move(point), effort_.moves_theta);
  }

  // Computes the step of theta. It is not part of at(), because a point that is rejected needs
  // none.
  void prepare_step(Point& point) const {
    if (!effort_.moves_theta) return;
    const Population& population = point.population;
    const VectorXd gradient = theta_gradient(point);
    MatrixXd information = marginal_information(problem_, index_, population, point.sites,
                                                kSparseUnits, effort_.num_threads);
    prior_.penalty.add_curvature(population.layout, information);
    information.diagonal().array() += kScoringRidge * information.trace();
    // The parameters of the gate come first, and they stay as they are.
    const Index free = gradient.size() - static_cast<Index>(population.layout.baseline());
    point.theta_step = VectorXd::Zero(gradient.size());
    point.theta_step.tail(free) =
        -MatrixXd(information.bottomRightCorner(free, free)).ldlt().solve(gradient.tail(free));
  }

  Population moved(const Point& from, double damping, double share) const {
    SpreadTarget target = from.pass.target;
    const auto units = std::max(1.0, static_cast<double>(from.pass.num_units));
    target.excess += prior_excess(from.population.spread) / units;
    Spread spread = stepped(from.population.spread, target, damping);
    Population next = with_spread(from.population, std::move(spread), problem_.family());
    if (problem_.family() == OutputFamily::kGaussian)
      next.noise_variance *= noise_factor(from, damping);
    if (!effort_.moves_theta) {
      next.theta = from.population.theta;
      return next;
    }
    for (std::size_t i = 0; i < next.theta.size(); ++i)
      next.theta[i] += share * from.theta_step[static_cast<Index>(i)];
    return next;
  }

  // Multiplies the covariance by the factor of the series. Returns false if the factor is 1.
  bool extrapolate(const ScaleSeries& scales, Population& population) const {
    const double factor = scales.factor(population.spread);
    if (factor == 1) return false;
    Spread spread = population.spread;
    spread.basis *= std::sqrt(factor);
    population = with_spread(population, std::move(spread), problem_.family());
    return true;
  }

 private:
  // Computes what depends on the population.
  Point visited(Point point, bool new_theta) const {
    if (new_theta)
      point.etas = linear_predictors_of(problem_, point.population, effort_.num_threads);
    point.pass = visit_units(problem_, index_, point.population, point.etas, point.sites,
                             effort_.num_threads);
    point.objective = objective(point);
    return point;
  }

  static Index size(const std::vector<double>& values) { return static_cast<Index>(values.size()); }

  double objective(const Point& point) const {
    const Population& population = point.population;
    const VectorXd theta = VectorXd::Map(population.theta.data(), size(population.theta));
    std::vector<double> ignored(population.theta.size());
    return point.pass.log_evidence + log_prior(population.spread) -
           prior_.penalty.add(population.layout, population.theta, ignored) +
           theta.dot(VectorXd::Map(prior_.tilt.data(), theta.size()));
  }

  // Returns the gradient of minus the objective with respect to theta.
  VectorXd theta_gradient(const Point& point) const {
    const Population& population = point.population;
    Problem with_offsets = problem_;
    with_offsets.offsets = offsets_of(problem_, point.etas, point.pass.mean_outcomes);
    const auto engine =
        make_engine(with_offsets, population.layout.num_experts, effort_.num_threads);
    std::vector<double> gradient(population.theta.size());
    engine->evaluate(population.theta, gradient, Precision::kDouble);
    for (double& entry : gradient) entry /= population.noise_variance;
    prior_.penalty.add(population.layout, population.theta, gradient);
    return VectorXd::Map(gradient.data(), size(gradient)) -
           VectorXd::Map(prior_.tilt.data(), size(gradient));
  }

  // EM moves the noise variance by the share `free` of the way to the maximum, where `free` is the
  // share of the rows' degrees of freedom that the deviations do not use.
  static double noise_factor(const Point& from, double damping) {
    const double em = from.pass.noise_variance / from.population.noise_variance;
    const double speed = (1 - damping) * from.pass.free_share + damping;
    return std::clamp(1 + (em - 1) / speed, 0.25, 4.0);
  }

  const Problem& problem_;
  const UnitIndex& index_;
  const PopulationPrior& prior_;
  MarginalEffort effort_;
};

}  // namespace

Population with_spread(Population population, Spread spread, OutputFamily family) {
  keep_means(family, population.layout, total_variance(population.spread), total_variance(spread),
             population.theta);
  population.spread = std::move(spread);
  return population;
}

PopulationPrior prior_at(const Problem& problem, const Penalty& penalty,
                         const MixtureLayout& layout, std::span<const double> theta,
                         int num_threads) {
  PopulationPrior prior{penalty, std::vector<double>(theta.size())};
  make_engine(problem, layout.num_experts, num_threads)
      ->evaluate(theta, prior.tilt, Precision::kDouble);
  penalty.add(layout, theta, prior.tilt);
  return prior;
}

MarginalFit fit_marginal(const Problem& problem, const UnitIndex& index,
                         const PopulationPrior& prior, Population start, std::vector<Site> sites,
                         const MarginalEffort& effort) {
  const MarginalFitter fitter(problem, index, prior, effort);
  if (sites.empty()) sites.resize(problem.num_rows());
  Point best = fitter.start(std::move(start), std::move(sites));
  fitter.prepare_step(best);
  double damping = kFirstDamping;
  double share = 1;
  ScaleSeries scales(best.population.spread);
  bool settled = best.population.spread.rank() == 0 && !effort.moves_theta &&
                 problem.family() != OutputFamily::kGaussian;
  int passes = 1;
  for (int bad = 0; passes < effort.most_passes && !settled && bad < kMostBadSteps; ++passes) {
    Population population = fitter.moved(best, damping, share);
    const bool extrapolated = effort.moves_theta && fitter.extrapolate(scales, population);
    Point next = fitter.next(best, std::move(population));
    if (!(next.objective >= best.objective)) {
      ++bad;
      scales.wait();
      if (extrapolated) continue;
      damping = std::min(1.0, kDampingRise * damping);
      share /= 2;
      continue;
    }
    settled = !extrapolated && next.objective - best.objective < effort.settled_gain;
    best = std::move(next);
    scales.add(best.population.spread, extrapolated);
    if (passes + 1 < effort.most_passes && !settled) fitter.prepare_step(best);
    bad = 0;
    damping = std::max(kLeastDamping, kDampingFall * damping);
    share = 1;
  }
  return {std::move(best.population),
          std::move(best.sites),
          std::move(best.pass.mean_outcomes),
          best.pass.log_evidence,
          passes,
          settled};
}

}  // namespace otss::internal
