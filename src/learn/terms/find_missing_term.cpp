#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/normal_law.hpp"
#include "base/student.hpp"
#include "learn/terms/term_screen.hpp"
#include "otss/learn/terms.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The test uses at most this many rows, so that it stays quick. Curvature that is worth reporting
// is visible in so many rows.
constexpr std::size_t kTestedRows = 10'000;
// If the linear model holds exactly, the test still names a term with this probability. In
// simulated logs whose weights are not linear in the context, or with few and unequal groups, such
// false alarms were up to three times as frequent. Their probability must stay below 5 %.
constexpr double kFalseAlarms = 0.01;
// In a large log even a tiny curvature is significant. So a gain below this, in nats per row, is
// not reported.
constexpr double kSmallestGain = 5e-4;
// With more columns than this (contexts after encoding, and factors) the test would take too long.
constexpr int kMostTestedColumns = 200;
// With fewer groups than this (or fewer rows, if there are no groups), the distribution of the test
// statistic is not known.
constexpr std::size_t kFewestGroups = 20;

// Says how precisely each entry of TermScreen::scores is known.
struct ScoreErrors {
  VectorXd variances;
  VectorXd freedom;  // degrees of freedom of the variances
};

// Computes the variance of each candidate's score as if groups, not rows, were independent. The
// variance is the sum of s^2 over groups, where s is the group's sum of projected candidate ×
// residual. If few groups dominate this sum, the variance itself is uncertain. The degrees of
// freedom, 3 (sum s^2)^2 / sum s^4, account for this uncertainty; they are about the number of
// groups if s is normal.
ScoreErrors score_errors(const TermDesign& design, const TermScreen& screen,
                         const std::vector<std::uint32_t>& groups, std::size_t num_groups) {
  MatrixXd columns(design.linear.rows(), design.linear.cols() + design.products.cols());
  columns << design.linear, design.products;
  const MatrixXd projected = design.candidates - columns * screen.projection;
  MatrixXd sums = MatrixXd::Zero(projected.cols(), static_cast<Index>(num_groups));
  for (Index i = 0; i < projected.rows(); ++i)
    sums.col(groups[i]) += screen.residuals[i] * projected.row(i).transpose();
  const auto count = static_cast<double>(num_groups);
  const auto rows = static_cast<double>(projected.rows());
  const double lost = rows / std::max(1.0, rows - static_cast<double>(columns.cols()));
  const VectorXd squares = sums.rowwise().squaredNorm();
  const VectorXd fourths = sums.array().square().square().rowwise().sum();
  return {squares * (count / (count - 1) * lost),
          (3 * squares.array().square() / fourths.array().max(1e-300)).max(1).min(count - 1)};
}

// Returns a critical value for tests of `count` candidates at once. With a probability of at most
// kFalseAlarms, noise alone exceeds this value in at least one of the tests (Bonferroni).
double critical_value(Index count, double freedom) {
  const double probability = 1 - kFalseAlarms / (2.0 * static_cast<double>(count));
  return std::max(normal_quantile(probability), student_quantile(probability, freedom));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::optional<MissingTerm> find_missing_term(const LoggedData& log, const TermOptions& options) {
  if (log.num_contexts() + log.num_factors() > kMostTestedColumns) return std::nullopt;
  const TermDesign design = make_term_design(log, Terms::kAuto, kTestedRows, options);
  std::vector<std::uint32_t> groups = design.groups;
  if (groups.empty()) {
    groups.resize(design.rows.size());
    std::iota(groups.begin(), groups.end(), 0U);
  }
  const std::size_t num_groups = groups.empty() ? 0 : 1 + *std::ranges::max_element(groups);
  if (design.terms.empty() || num_groups < kFewestGroups) return std::nullopt;
  const TermScreen screen =
      screen_terms(design, design.sample, fit_linear_model(design, design.sample));
  const auto [variances, freedom] = score_errors(design, screen, groups, num_groups);
  Index tested = 0;
  for (Index c = 0; c < variances.size(); ++c) tested += is_independent(screen, c) ? 1 : 0;
  if (tested == 0) return std::nullopt;
  std::optional<MissingTerm> best;
  for (Index c = 0; c < variances.size(); ++c) {
    if (!is_independent(screen, c)) continue;
    const double square = screen.scores[c] * screen.scores[c];
    const double critical = critical_value(tested, freedom[c]);
    if (square <= critical * critical * variances[c]) continue;
    // One Newton step lowers the summed loss by half of square / gram. Noise alone would lower the
    // loss by half of variance / gram, which is therefore subtracted.
    const double gain =
        (square - variances[c]) / (2 * screen.gram(c, c) * design.sample.rows.total());
    if (gain >= kSmallestGain && (!best || gain > best->gain))
      best = {design.terms[c].name(), gain};
  }
  return best;
}

Finding finding_of(const MissingTerm& missing) {
  return {Severity::kNote, "nonlinear_factors",
          fmt::format("the outcome is not linear in the factors: the term {} would lower the loss "
                      "by about {:.4f} per row; add it to --factors, or fit with --terms auto",
                      missing.name, missing.gain),
          parse_term(missing.name).value().columns};
}

}  // namespace otss
