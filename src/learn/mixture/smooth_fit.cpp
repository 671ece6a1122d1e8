#include "learn/mixture/smooth_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "engine/row_parts.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/mixture/smooth_rows.hpp"
#include "learn/mixture/smooth_tiles.hpp"
#include "learn/options/defaults.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The prior of a strength is Gamma(a, b), with the shape a and the rate b. This prior is nearly
// flat on the logarithm of the strength.
constexpr double kStrengthShape = 0.5, kStrengthRate = 0.005;
constexpr int kSmoothRounds = 25;
constexpr int kMostHalvings = 12;
// The iteration stops when no coefficient moves by more than this, which is a hundredth of a usual
// standard error. The strengths of columns without an effect may still grow at this point; their
// coefficients are almost 0 already.
constexpr double kConverged = 3e-4;
// After a smaller step than this, the Hessian of the loss and the design effects are not computed
// anew, because they would hardly change. The gradient is always exact, so that an old Hessian leads
// to the same coefficients.
constexpr double kSmallStep = 0.05;
constexpr double kStartStrength = 10;       // all strengths before the first round
constexpr double kInterceptPenalty = 1e-8;  // keeps the intercept bounded
constexpr double kMostCoefficients = 1200;
// Limits of clustered_variances: the squared number of coefficients times the number of groups, and
// the number of groups that are always used.
constexpr double kClusteringWork = 5e8;
constexpr std::size_t kFewestVarianceGroups = 500;

double penalised(const Quadratic& at, const MatrixXd& coefficients, const MatrixXd& penalty) {
  return at.loss + 0.5 * penalty.cwiseProduct(coefficients.cwiseAbs2()).sum();
}

// Moves the coefficients by a Newton step, which is halved until the penalised loss decreases. `at`
// is the expansion at the coefficients; on return it is that at the moved coefficients, without the
// Hessian. Returns the largest change of a coefficient.
double newton_step(const SmoothRows& rows, const Eigen::LLT<MatrixXd>& hessian, Quadratic& at,
                   SmoothFit& fit, int num_threads) {
  const VectorXd gradient = at.gradient + fit.penalty.cwiseProduct(fit.coefficients).reshaped();
  VectorXd step = hessian.solve(gradient);
  const double before = penalised(at, fit.coefficients, fit.penalty);
  for (int halving = 0; halving < kMostHalvings; ++halving) {
    const MatrixXd moved =
        fit.coefficients - step.reshaped(fit.coefficients.rows(), fit.coefficients.cols());
    Quadratic there = rows.expand(moved, false, num_threads);
    if (penalised(there, moved, fit.penalty) <= before + 1e-9 * std::abs(before)) {
      at = std::move(there);
      fit.coefficients = moved;
      return step.cwiseAbs().maxCoeff();
    }
    step /= 2;
  }
  return 0;
}

Eigen::LLT<MatrixXd> factorised(const MatrixXd& hessian, const MatrixXd& penalty) {
  MatrixXd matrix = hessian;
  matrix.diagonal() += penalty.reshaped();
  matrix.diagonal().array() += 1e-10 * matrix.trace() / static_cast<double>(matrix.rows());
  return matrix.llt();
}

// Replaces a lower triangular matrix by its inverse. Its two diagonal blocks A and C are inverted,
// and the block B below A becomes -C^-1 B A^-1. This takes a third of the time of solving for all
// columns of the identity, whose zeros a solver does not know.
void invert_triangle(Eigen::Ref<MatrixXd> lower) {
  constexpr Index kSmall = 48;
  const Index size = lower.rows();
  if (size <= kSmall) {
    MatrixXd inverse = MatrixXd::Identity(size, size);
    lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
    lower.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  const Index half = size / 2;
  const Index rest = size - half;
  auto a = lower.topLeftCorner(half, half);
  auto b = lower.bottomLeftCorner(rest, half);
  auto c = lower.bottomRightCorner(rest, rest);
  invert_triangle(a);
  invert_triangle(c);
  const MatrixXd right = b * a.triangularView<Eigen::Lower>();
  b.noalias() = c.triangularView<Eigen::Lower>() * (-right);
}

// Returns the inverse of the Cholesky factor. Columns a and b of the result have the inner product
// (a, b) of the inverse matrix.
MatrixXd inverse_factor(const Eigen::LLT<MatrixXd>& matrix) {
  MatrixXd factor = matrix.matrixL();
  invert_triangle(factor);
  return factor;
}

// Divides the coefficients into blocks, each of which has one strength. One block is the constant
// part c of the weights w(x) = A x + c. Each source (SmoothStructure::sources) has two blocks: its
// effect on the baseline, and its effect on the weights. of_coefficient has the index of each
// coefficient's block, or -1 for the intercept of eta, which is in no block.
struct Blocks {
  Eigen::MatrixXi of_coefficient;
  int count = 1;

  Blocks(const Problem& problem, const std::vector<int>& sources) {
    const int p = problem.num_contexts;
    const int num_factors = problem.num_factors();
    of_coefficient = Eigen::MatrixXi::Zero(p + 1, num_factors + 1);
    of_coefficient(p, num_factors) = -1;
    std::map<std::pair<int, bool>, int> blocks;
    for (int i = 0; i < p; ++i) {
      for (int j = 0; j <= num_factors; ++j) {
        const auto [found, fresh] = blocks.try_emplace({sources[i], j == num_factors}, count);
        if (fresh) ++count;
        of_coefficient(i, j) = found->second;
      }
    }
  }

  // Returns, for each block, the sum of the block's entries.
  VectorXd sums(const MatrixXd& entries) const {
    VectorXd result = VectorXd::Zero(count);
    for (Index i = 0; i < entries.size(); ++i) {
      const int block = of_coefficient.reshaped()[i];
      if (block >= 0) result[block] += entries.reshaped()[i];
    }
    return result;
  }
};

// Returns the variance of each coefficient, computed as if groups, not rows, were independent. The
// time grows with the squared number of coefficients, times the number of groups. If this would take
// long, only every n-th group is used; hundreds of groups tell the variances well enough.
VectorXd clustered_variances(const Problem& problem, const SmoothFit& fit, const MatrixXd& inverse,
                             std::span<const std::uint32_t> groups) {
  const std::size_t num_groups = 1 + *std::ranges::max_element(groups);
  const auto size = static_cast<double>(fit.coefficients.size());
  const std::size_t most =
      std::max(kFewestVarianceGroups, static_cast<std::size_t>(kClusteringWork / (size * size)));
  const std::size_t step = (num_groups + most - 1) / most;
  const std::size_t taken = (num_groups + step - 1) / step;
  MatrixXd scores = MatrixXd::Zero(fit.coefficients.size(), static_cast<Index>(taken));
  SmoothRow row(problem);
  VectorXd products(fit.coefficients.size());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.weight(i) == 0 || groups[i] % step != 0) continue;
    row.read(i);
    const double slope = problem.family().slope(row.eta(fit.coefficients), problem.outcome(i));
    row.products(problem.weight(i) * slope, products);
    scores.col(static_cast<Index>(groups[i] / step)) += products;
  }
  const double all = static_cast<double>(num_groups) / static_cast<double>(taken);
  return all * (inverse * scores).rowwise().squaredNorm();
}

// Returns Pearson's statistic per row: the variance of the outcomes about the model, divided by the
// variance that the family implies.
double dispersion_of(const Problem& problem, const SmoothFit& fit) {
  if (problem.family() == OutputFamily::kBernoulli) return 1;
  SmoothRow row(problem);
  double pearson = 0;
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.weight(i) == 0) continue;
    row.read(i);
    const double eta = row.eta(fit.coefficients);
    const double error = problem.outcome(i) - problem.family().mean(eta);
    pearson += problem.weight(i) * error * error / problem.family().curvature(eta);
  }
  return pearson / problem.rows.total();
}

// Returns the design effect of each block (smooth_fit.hpp defines it). With groups, a design effect
// is at least 1, because rows of one group never have more information than independent rows.
// `factor` is the inverse_factor() of the penalised Hessian.
VectorXd design_effects(const Problem& problem, const SmoothFit& fit, const Blocks& blocks,
                        const MatrixXd& factor, std::span<const std::uint32_t> groups) {
  if (groups.empty()) return VectorXd::Constant(blocks.count, dispersion_of(problem, fit));
  const MatrixXd inverse = factor.transpose().triangularView<Eigen::Upper>() * factor;
  const auto shape = [&](const VectorXd& entries) {
    return entries.reshaped(fit.coefficients.rows(), fit.coefficients.cols());
  };
  const VectorXd clustered = clustered_variances(problem, fit, inverse, groups);
  // With H = hessian + penalty, H^-1 hessian H^-1 = H^-1 - H^-1 penalty H^-1. The right side needs no
  // product of matrices.
  const VectorXd independent =
      inverse.diagonal() - inverse.cwiseAbs2() * VectorXd(fit.penalty.reshaped());
  const VectorXd ratio =
      blocks.sums(shape(clustered)).cwiseQuotient(blocks.sums(shape(independent)).cwiseMax(1e-300));
  return ratio.cwiseMax(1);
}

}  // namespace

std::vector<int> context_sources(const LoggedData& log, const Problem& problem) {
  std::vector<int> sources;
  const auto& contexts = log.encoder().contexts;
  for (std::size_t c = 0; c < contexts.size(); ++c)
    sources.insert(sources.end(), contexts[c].num_encoded(), static_cast<int>(c));
  int next = static_cast<int>(contexts.size());
  for (const LevelPairs& pairs : log.encoder().level_pairs)
    sources.insert(sources.end(), pairs.num_encoded(), next++);
  if (static_cast<int>(sources.size()) == problem.num_contexts) return sources;
  sources.resize(problem.num_contexts);
  std::iota(sources.begin(), sources.end(), 0);
  return sources;
}

bool smooth_is_feasible(int num_contexts, int num_factors) {
  return num_contexts > 0 && (num_contexts + 1.0) * (num_factors + 1.0) <= kMostCoefficients;
}

namespace {

// Returns the coefficients and penalties before the first round.
SmoothFit first_guess(const Problem& problem) {
  const Index height = problem.num_contexts + 1;
  const Index width = problem.num_factors() + 1;
  SmoothFit fit{MatrixXd::Zero(height, width), MatrixXd::Constant(height, width, kStartStrength)};
  fit.coefficients(height - 1, width - 1) =
      constant_model(problem)[problem.layout(1).baseline() + problem.num_contexts];
  fit.penalty(height - 1, width - 1) = kInterceptPenalty;
  return fit;
}

SmoothFit learn_strengths(const Problem& problem, const SmoothStructure& structure, SmoothFit fit,
                          int num_threads) {
  const Index height = fit.coefficients.rows();
  const Index width = fit.coefficients.cols();
  const SmoothRows rows(problem);
  const Blocks blocks(problem, structure.sources);
  const VectorXd sizes = blocks.sums(MatrixXd::Ones(height, width));
  const bool constant_curvature = problem.family() == OutputFamily::kGaussian;
  VectorXd effects;
  MatrixXd curvature;
  Quadratic at;
  double step = 2 * kSmallStep;
  for (int round = 0; round < kSmoothRounds && step >= kConverged; ++round) {
    const bool far = step > kSmallStep;
    if (round == 0 || (far && !constant_curvature)) {
      at = rows.expand(fit.coefficients, true, num_threads);
      curvature = std::move(at.hessian);
    }
    const Eigen::LLT<MatrixXd> hessian = factorised(curvature, fit.penalty);
    step = newton_step(rows, hessian, at, fit, num_threads);
    const MatrixXd factor = inverse_factor(hessian);
    if (far || structure.groups.empty())
      effects = design_effects(problem, fit, blocks, factor, structure.groups);
    const VectorXd squares = blocks.sums(fit.coefficients.cwiseAbs2());
    const VectorXd variances = factor.colwise().squaredNorm();
    const VectorXd shrunk =
        blocks.sums(fit.penalty.cwiseProduct(variances.reshaped(height, width)));
    const VectorXd strengths = ((sizes - shrunk).array().max(0) + 2 * kStrengthShape) /
                               (squares.array() + 2 * kStrengthRate);
    for (Index i = 0; i < fit.penalty.size(); ++i) {
      const int block = blocks.of_coefficient.reshaped()[i];
      if (block >= 0) fit.penalty.reshaped()[i] = effects[block] * strengths[block];
    }
  }
  return fit;
}

// Fits the coefficients to all rows of `whole`, with the penalty of `fit`. The curvature of the
// loss is computed on the subsample `small`, which is faster, and preconditions the fit.
SmoothFit finish_on_all(const Problem& whole, const Problem& small, SmoothFit fit,
                        int num_threads) {
  // The fit ends when a pass gains a smaller share of the loss. With a million rows, the sum of losses
  // is then within about 0.006, which moves coefficients by a tenth of their standard errors.
  constexpr double kGain = 1e-8;
  const double scale = whole.rows.total() / small.rows.total();
  const Eigen::LLT<MatrixXd> curvature = factorised(
      scale * SmoothRows(small).expand(fit.coefficients, true, num_threads).hessian, fit.penalty);
  SmoothTiles objective(whole, fit.penalty, num_threads);
  LbfgsOptions options{.max_evaluations = kSmoothRounds, .value_tolerance = kGain};
  options.precondition = [&](std::span<double> v) {
    Eigen::Map<VectorXd> vector(v.data(), static_cast<Index>(v.size()));
    curvature.solveInPlace(vector);
    vector *= whole.rows.total();
  };
  const MatrixXd start = fit.coefficients;
  const Minimum minimum = minimize(objective, std::span(start.data(), start.size()), options);
  std::ranges::copy(minimum.x, fit.coefficients.data());
  return fit;
}

}  // namespace

SmoothFit fit_smooth(const Problem& problem, const SmoothStructure& structure, int num_threads,
                     const SmoothEffort& effort) {
  const SmoothFit from = effort.start != nullptr ? *effort.start : first_guess(problem);
  if (problem.num_rows() <= effort.most_rows)
    return learn_strengths(problem, structure, from, num_threads);
  std::vector<std::size_t> rows;
  const Problem small = subsample(problem, effort.most_rows, &rows);
  std::vector<std::uint32_t> groups;
  for (const std::size_t row : rows) {
    if (!structure.groups.empty()) groups.push_back(structure.groups[row]);
  }
  const SmoothFit rough = learn_strengths(small, {structure.sources, groups}, from, num_threads);
  return finish_on_all(problem, small, rough, num_threads);
}

std::size_t enough_for_strengths(const Problem& problem) {
  constexpr std::size_t kFewestRows = 4096, kRowsPerCoefficient = 16;
  const std::size_t contexts = problem.num_contexts + 1;
  const std::size_t factors = problem.num_factors() + 1;
  return std::max(kFewestRows, kRowsPerCoefficient * contexts * factors);
}

std::vector<double> smooth_predictors(const Problem& problem, const SmoothFit& fit,
                                      int num_threads) {
  if (problem.num_rows() > defaults::kSelectionRows)
    return tiled_predictors(problem, fit.coefficients, num_threads);
  std::vector<double> eta(problem.num_rows());
  parallel_for(num_row_parts(problem.num_rows()), num_threads, [&](std::size_t part) {
    SmoothRow row(problem);
    const RowRange rows = smooth_part(problem, part);
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      row.read(i);
      eta[i] = row.eta(fit.coefficients);
    }
  });
  return eta;
}

}  // namespace otss::internal
