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

// Curvature that is worth a line is visible in this many rows, and the test stays quick.
constexpr std::size_t kTestedRows = 10'000;
// The probability of naming a term although the log is linear in the factors.
constexpr double kFalseAlarms = 0.05;
// In a large log even a tiny curvature is significant. A smaller gain, in nats per row, is not
// reported.
constexpr double kSmallestGain = 5e-4;
// With fewer independent rows or groups, the distribution of the test statistic is not known.
constexpr std::size_t kFewestGroups = 20;

// Returns the variance of each score when groups, not rows, are independent: the sum over groups of
// the squared sum of (projected candidate × residual).
VectorXd score_variances(const TermDesign& design, const TermScreen& screen,
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
  return sums.rowwise().squaredNorm() * (count / (count - 1) * lost);
}

// Returns the value that the largest of `count` statistics exceeds with probability kFalseAlarms at
// most (Bonferroni).
double critical_value(Index count, std::size_t num_groups) {
  const double probability = 1 - kFalseAlarms / (2.0 * static_cast<double>(count));
  return std::max(normal_quantile(probability),
                  student_quantile(probability, static_cast<double>(num_groups - 1)));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::optional<MissingTerm> find_missing_term(const LoggedData& log, const TermOptions& options) {
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
  const VectorXd variances = score_variances(design, screen, groups, num_groups);
  Index tested = 0;
  for (Index c = 0; c < variances.size(); ++c) tested += is_independent(screen, c) ? 1 : 0;
  if (tested == 0) return std::nullopt;
  const double critical = critical_value(tested, num_groups);
  std::optional<MissingTerm> best;
  for (Index c = 0; c < variances.size(); ++c) {
    const double square = screen.scores[c] * screen.scores[c];
    if (!is_independent(screen, c) || square <= critical * critical * variances[c]) continue;
    // One Newton step lowers the loss by half of square / gram; noise alone by half of
    // variance / gram.
    const double gain =
        (square - variances[c]) / (2 * screen.gram(c, c) * design.sample.rows.total());
    if (gain >= kSmallestGain && (!best || gain > best->gain))
      best = {design.terms[c].name(), gain};
  }
  return best;
}

}  // namespace otss
