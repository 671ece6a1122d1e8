#include "learn/checks/check_identification.hpp"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/linear_predictors.hpp"
#include "learn/checks/direction_words.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/problem/factor_information.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A linear regression on the context explains a share of each direction's variance. If less than
// the share kStill remains unexplained, the direction counts as determined by the context. A
// smaller share cannot be told from rounding errors, because factors are f32 numbers.
constexpr double kStill = 1e-7;
// If the context leaves less than this share of a direction's variance unexplained, the direction's
// weight is poorly known. The standard error of this weight is then more than 10 times as large as
// for factors that do not depend on the context.
constexpr double kLittleVariation = 0.01;
// Limits for the standard error of a standardised factor's weight. Above kUnknown the weight counts
// as unknown: a weight of 3 already multiplies the odds by 20 when the factor grows by one standard
// deviation. Above kVague the weight counts as poorly known.
constexpr double kUnknown = 3, kVague = 0.5;
// The check searches for separation only if at most this share of the rows is predicted wrongly.
constexpr double kHardlyAny = 0.005;

std::string listed(const std::vector<std::string>& factors) {
  std::string text;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    text += fmt::format("{}'{}'",
                        i == 0                    ? ""
                        : i + 1 == factors.size() ? " and "
                                                  : ", ",
                        factors[i]);
  }
  return text;
}

std::string percent(double share) {
  return share < kStill ? "0 %" : fmt::format("{:.2g} %", 100 * share);
}

class IdentificationCheck {
 public:
  IdentificationCheck(const LoggedData& log, const Problem& problem,
                      std::span<const double> pooled_theta, int num_threads, Findings& findings)
      : log_(log),
        findings_(findings),
        variation_(factor_variation(problem, num_threads)),
        solver_(variation_.given_context) {
    if (!pooled_theta.empty())
      information_ = factor_information(problem, pooled_theta, num_threads);
  }

  double run() {
    const VectorXd& shares = solver_.eigenvalues();  // ascending
    const Index still = count_below(kStill);
    const Index weak = count_below(kLittleVariation);
    const MatrixXd exact = sparse_basis(solver_.eigenvectors().leftCols(still));
    for (Index i = 0; i < weak; ++i)
      report_collinear(i < still ? VectorXd(exact.col(i))
                                 : VectorXd(solver_.eigenvectors().col(i)));
    if (information_.size() > 0 && weak < shares.size()) report_information(shares.size() - weak);
    return shares[shares.size() - 1] / std::max(shares[0], 1e-16);
  }

 private:
  Index count_below(double share) const { return (solver_.eigenvalues().array() < share).count(); }

  double standard_error(double information) const {
    return 1 / std::sqrt(std::max(information, 1e-300));
  }

  void report_collinear(const VectorXd& direction) {
    const DirectionWords words = direction_words(direction, log_.encoder());
    const double left = direction.dot(variation_.given_context * direction);
    const double overall = direction.dot(variation_.overall * direction);
    const double error =
        information_.size() > 0 ? standard_error(direction.dot(information_ * direction)) : 0;
    const bool unknown = left < kStill || error > kUnknown;
    const std::string how_well =
        unknown ? "its weight cannot be learned"
                : fmt::format("its weight has a standard error of {:.2g} per standard deviation",
                              error);
    const bool whatever_context = overall < kLittleVariation;
    const std::string what =
        words.factors.size() == 1
            ? fmt::format(
                  "factor '{}' is determined by the context (only {} of its variance is left among "
                  "rows with the same context), so {}; collect rows in which this factor varies "
                  "among similar contexts, or leave this factor out of --factors",
                  words.text, percent(left), how_well)
            : fmt::format(
                  "factors {} are collinear{}: the combination {} hardly varies (given the "
                  "context, its variance is only {} of a factor's variance), so {}; leave one of "
                  "these factors out of --factors, or collect rows in which they vary separately",
                  listed(words.factors), whatever_context ? "" : " in rows with the same context",
                  words.text, percent(left), how_well);
    const char* kind = words.factors.size() == 1 ? "factor_decided_by_context"
                       : whatever_context        ? "collinear_factors"
                                                 : "collinear_given_context";
    findings_.push_back(
        {unknown ? Severity::kUnidentified : Severity::kWarning, kind, what, words.factors});
  }

  // Reports directions that vary given the context, but whose weights the outcomes determine
  // poorly.
  void report_information(Index num_directions) {
    const MatrixXd varying = solver_.eigenvectors().rightCols(num_directions);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(varying.transpose() * information_ *
                                                         varying);
    const VectorXd errors = solver.eigenvalues().unaryExpr(
        [this](double information) { return standard_error(information); });
    if (errors[0] < kVague) return;
    const DirectionWords words =
        direction_words(varying * solver.eigenvectors().col(0), log_.encoder());
    findings_.push_back(
        {errors[0] > kUnknown ? Severity::kUnidentified : Severity::kWarning, "little_information",
         fmt::format(
             "the outcomes say too little about the weights of {} of {} linear combinations of "
             "factors (the weight of {} has a standard error of {:.2g} per standard deviation); "
             "add rows, most of all rows with the rarer outcome, or name fewer factors in "
             "--factors",
             (errors.array() > kVague).count(), errors.size(), words.text, errors[0]),
         words.factors});
  }

  const LoggedData& log_;
  Findings& findings_;
  FactorVariation variation_;
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver_;
  MatrixXd information_;  // Fisher information about the weights; empty if there is no pooled fit
};

// Returns the number of rows whose predicted outcome (1 if eta > 0) differs from the logged
// outcome.
std::size_t num_wrong(const Problem& problem, std::span<const double> theta, int num_threads) {
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, problem.layout(1), theta, num_threads, eta);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (problem.rows[i] != 0 && (eta[i] > 0) != (problem.rows[i] > 0)) ++wrong;
  }
  return wrong;
}

}  // namespace

double check_identification(const LoggedData& log, const Problem& problem,
                            std::span<const double> pooled_theta, int num_threads,
                            Findings& findings) {
  return IdentificationCheck(log, problem, pooled_theta, num_threads, findings).run();
}

void check_joint_separation(const Problem& problem, std::span<const double> pooled_theta,
                            int num_threads, Findings& findings) {
  std::vector<double> theta(pooled_theta.begin(), pooled_theta.end());
  std::size_t wrong = num_wrong(problem, theta, num_threads);
  // If few rows are predicted wrongly, a separating direction may exist. Fits with smaller and
  // smaller penalties then find this direction.
  for (double strength = 1e-3; wrong > 0 && strength > 1e-10; strength /= 100) {
    if (static_cast<double>(wrong) > kHardlyAny * static_cast<double>(problem.num_rows())) return;
    const Penalty weak{.center = strength, .baseline = strength};
    theta = fit_mixture(problem, weak, problem.layout(1), theta, {num_threads, true}).theta;
    wrong = num_wrong(problem, theta, num_threads);
  }
  const std::string rows = wrong == 0
                               ? fmt::format("all {} rows", problem.num_rows())
                               : fmt::format("all but {} of {} rows", wrong, problem.num_rows());
  findings.push_back(
      {wrong == 0 ? Severity::kUnidentified : Severity::kWarning,
       "separation",
       fmt::format(
           "contexts and factors together predict the outcome of {} without error "
           "(separation), so {}; add rows, or remove the columns that were recorded after the "
           "outcome from --context and --factors",
           rows,
           wrong == 0 ? "the weights would be infinite without a penalty"
                      : "only the few other rows limit the size of the weights"),
       {}});
}

}  // namespace otss::internal
