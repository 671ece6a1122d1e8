#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "learn/checks/check_feasible.hpp"
#include "learn/problem/factor_information.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSurely = 1e-3;  // significance level of the score test
// A direction whose information is below this share of the largest diagonal entry is ignored.
constexpr double kNoVariation = 1e-6;

// Returns the upper tail probability of the chi-square distribution, by the normal approximation of
// its cube root (Wilson & Hilferty 1931).
double chi_square_tail(double value, double freedom) {
  const double spread = 2 / (9 * freedom);
  const double normal = (std::cbrt(value / freedom) - (1 - spread)) / std::sqrt(spread);
  return 0.5 * std::erfc(normal / std::sqrt(2.0));
}

// Holds the mean factors of the feasible decisions in the context of each row of the log.
struct Levels {
  // This matrix has one row per factor and one column per usable row of the log. Each factor is
  // standardised over the columns whose context has feasible decisions; all other columns are 0.
  MatrixXd values;
  std::vector<bool> known;
  std::size_t num_unknown = 0;
};

Levels levels_of_rows(const RawLog& raw, const UsableLog& usable, const FeasibleSet& feasible) {
  Levels levels{MatrixXd::Zero(static_cast<Index>(usable.factors.size()),
                               static_cast<Index>(usable.rows.size())),
                std::vector<bool>(usable.rows.size()), 0};
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    const std::size_t row = usable.rows[i];
    const auto context = raw.context_ids.is_missing(row)
                             ? std::nullopt
                             : feasible.number_of(raw.context_ids.shown(row));
    levels.known[i] = context.has_value();
    if (!context) {
      ++levels.num_unknown;
      continue;
    }
    const auto mean = feasible.at(*context).mean_factors();
    for (std::size_t j = 0; j < usable.factors.size(); ++j) {
      levels.values(static_cast<Index>(j), static_cast<Index>(i)) = mean[usable.factors[j]];
    }
  }
  const auto num_known = static_cast<double>(usable.rows.size() - levels.num_unknown);
  if (num_known == 0) return levels;
  const VectorXd middle = levels.values.rowwise().sum() / num_known;
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    if (levels.known[i]) levels.values.col(static_cast<Index>(i)) -= middle;
  }
  const VectorXd sd = (levels.values.rowwise().squaredNorm() / num_known).cwiseSqrt();
  for (Index j = 0; j < sd.size(); ++j) {
    // A mean factor that is the same in all rows, up to rounding, becomes exactly 0.
    levels.values.row(j) *= sd[j] > 1e-9 * (1 + std::abs(middle[j])) ? 1 / sd[j] : 0;
  }
  return levels;
}

// Returns a problem with the same rows, to which the mean factors are appended as additional
// factors. In theta, the parameters of the additional factors come just before the expert's
// intercept, which is last.
Problem with_levels(const Problem& problem, const Levels& levels) {
  const int before = problem.features->num_columns();
  const auto added = static_cast<int>(levels.values.rows());
  auto features = std::make_shared<TileMatrix>(problem.num_rows(), before + added);
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    for (int j = 0; j < before; ++j) features->at(i, j) = problem.features->at(i, j);
    for (int j = 0; j < added; ++j)
      features->at(i, before + j) = static_cast<float>(levels.values(j, static_cast<Index>(i)));
  }
  Problem wider = problem.restricted_to([&](std::size_t row) { return levels.known[row]; });
  wider.features = std::move(features);
  return wider;
}

// Returns the p-value of the score test of the hypothesis that the last `count` parameters are
// zero; the other parameters are estimated. Here the score is the gradient of the log likelihood.
// The test statistic is s'V^-1 s, where s is the score and V its variance, both after the other
// parameters are projected out.
double score_tail(const MatrixXd& curvature, const VectorXd& score, Index count) {
  const Index others = curvature.rows() - count;
  MatrixXd known = curvature.topLeftCorner(others, others);
  known.diagonal().array() += 1e-9 * known.diagonal().maxCoeff();
  const VectorXd freed = score.tail(count) - curvature.bottomLeftCorner(count, others) *
                                                 known.ldlt().solve(score.head(others));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(
      schur_complement(curvature, others, count, 0, others));
  const double least = kNoVariation * curvature.diagonal().maxCoeff();
  double statistic = 0;
  double freedom = 0;
  for (Index i = 0; i < count; ++i) {
    const double information = solver.eigenvalues()[i];
    if (information < least) continue;
    const double along = solver.eigenvectors().col(i).dot(freed);
    statistic += along * along / information;
    ++freedom;
  }
  return freedom == 0 ? 1 : chi_square_tail(statistic, freedom);
}

}  // namespace

void check_centering(const Problem& problem, std::span<const double> pooled_theta,
                     const RawLog& raw, const UsableLog& usable, const FeasibleSet& feasible,
                     int num_threads, Findings& findings) {
  if (feasible.is_shared()) return;
  if (raw.context_ids.values.empty()) {
    findings.push_back({Severity::kNote,
                        "centering",
                        fmt::format("the log has no column '{}', so it is unknown whether the fit "
                                    "needs --center-factors; add this column, with the context id "
                                    "of each row, to the log",
                                    raw.context_ids.name),
                        {}});
    return;
  }
  const Levels levels = levels_of_rows(raw, usable, feasible);
  if (levels.num_unknown > 0) {
    findings.push_back({Severity::kNote,
                        "no_candidates",
                        fmt::format("{} rows of the log have no candidates in '{}'; add candidates "
                                    "for the contexts of these rows, or remove these rows from the "
                                    "log",
                                    levels.num_unknown, feasible.table()),
                        {raw.context_ids.name}});
  }
  if (levels.values.squaredNorm() == 0) return;
  const Problem wider = with_levels(problem, levels);
  const MixtureLayout layout = wider.layout(1);
  // theta starts with the parameters of the pooled fit. The additional factors get the weight 0,
  // and the expert's intercept stays last. The expert's intercept has the same effect as the
  // baseline's intercept, so the score and the curvature below leave out the last entry.
  std::vector<double> theta(pooled_theta.begin(), pooled_theta.end() - 1);
  theta.resize(layout.size() - 1, 0.0);
  theta.push_back(pooled_theta.back());
  std::vector<double> gradient(theta.size());
  make_engine(wider, 1, num_threads)->evaluate(theta, gradient, Precision::kDouble);
  const auto size = static_cast<Index>(layout.size()) - 1;
  const VectorXd score = -Eigen::Map<const VectorXd>(gradient.data(), size);
  const double tail =
      score_tail(curvature(wider, theta, layout, num_threads).topLeftCorner(size, size), score,
                 levels.values.rows());
  if (tail > kSurely) return;
  findings.push_back(
      {Severity::kWarning,
       "centering",
       fmt::format("the mean factors of a context's feasible decisions predict the outcome by "
                   "themselves (score test, p = {:.1g}), so a plain fit would have biased weights; "
                   "fit with --center-factors --candidates {} --context-id {}",
                   std::max(tail, 1e-16), feasible.table(), raw.context_ids.name),
       {}});
}

}  // namespace otss::internal
