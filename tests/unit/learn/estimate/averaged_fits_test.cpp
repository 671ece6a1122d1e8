#include "learn/estimate/averaged_fits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/fitted_parts.hpp"
#include "otss/learn/fit.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {
namespace {

using testing::ElementsAre;

const LoggedData& grouped_log() {
  static const LoggedData log = [] {
    const FamilyLog rows(OutputFamily::kBernoulli, 1200, 3);
    std::vector<double> groups;
    for (std::size_t i = 0; i < rows.num_rows(); ++i) groups.push_back(static_cast<double>(i / 4));
    LogExtras extras;
    extras.group.numbers = groups;
    return rows.log(extras);
  }();
  return log;
}

// One trade-off for everybody with these weights, in standardised units.
Member one_trade_off(const Problem& problem, double weight, double first_factor) {
  const MixtureLayout layout = problem.layout(1);
  Member member{.weight = weight, .layout = layout, .penalty = Penalty{}};
  member.theta.assign(layout.size(), 0.0);
  member.theta[layout.expert(0)] = first_factor;
  return member;
}

// The variance of the error of the first factor's weight, in standardised units, if every parameter
// of a fit has the variance `of_fit`.
double variance(const std::vector<Member>& members, double of_fit) {
  const LoggedData& log = grouped_log();
  const Problem problem = whole_problem(log);
  const auto uncertainty = draws_of_fits(
      log, problem, penalised_mixtures(members),
      [&](const Penalty&, const SumRequest& at) {
        const auto size = static_cast<Eigen::Index>(at.layout.size());
        return FitCovariance{of_fit * Eigen::MatrixXd::Identity(size, size), 1};
      },
      1);
  const std::vector<double> x(FamilyLog::kContexts, 0.0);
  std::vector<double> errors(static_cast<std::size_t>(uncertainty->num_draws()) *
                             FamilyLog::kFactors);
  uncertainty->departures(x, errors);
  double sum = 0;
  for (std::size_t e = 0; e < errors.size(); e += FamilyLog::kFactors)
    sum += errors[e] * errors[e] / uncertainty->num_draws();
  const double scale = log.encoder().factors[0].scale;
  return sum * scale * scale;
}

TEST(AveragedFits, VarianceIsThatOfTheFitsPlusThatBetweenThem) {
  const Problem problem = whole_problem(grouped_log());
  const std::vector<Member> apart = {one_trade_off(problem, .25, 1),
                                     one_trade_off(problem, .75, 3)};
  const std::vector<Member> equal = {one_trade_off(problem, .25, 2),
                                     one_trade_off(problem, .75, 2)};
  constexpr double kBetween = .25 * .75 * 4;
  // The draws are rounded, and their number is finite.
  EXPECT_NEAR(variance(apart, 0), kBetween, .01);
  EXPECT_NEAR(variance(equal, 1), 1, .25);
  EXPECT_NEAR(variance(apart, 1), 1 + kBetween, .4);
}

TEST(AveragedFits, AreDrawnInProportionToTheirWeights) {
  const std::vector<Member> members = {Member{.weight = .2}, Member{.weight = .6},
                                       Member{.weight = .01}};
  const Member *first = &members[0], *second = &members[1];
  EXPECT_THAT(in_proportion({first, second, &members[2]}, 4),
              ElementsAre(first, second, second, second));
}

TEST(AveragedFits, OnlyPenalisedMixturesCount) {
  const Problem problem = whole_problem(grouped_log());
  std::vector<Member> members(4, one_trade_off(problem, .25, 1));
  members[0].penalty.reset();                       // a draw from a posterior
  members[1].slopes = Eigen::MatrixXd::Zero(3, 3);  // weights that are linear in the context
  members[2].weight = 0;
  EXPECT_THAT(penalised_mixtures(members), ElementsAre(&members[3]));
}

TEST(AveragedFits, DescribeTheErrorOfAGroupedLog) {
  const auto has_draws = [](const FitOptions& options) {
    const Fitted fitted = fit(grouped_log(), options);
    EXPECT_TRUE(fitted.has_uncertainty());
    return std::holds_alternative<std::shared_ptr<const DrawnUncertainty>>(
        fitted.parts().uncertainty);
  };
  EXPECT_TRUE(has_draws({.method = Method::kOtss, .experts = 2, .threads = 1}));
  EXPECT_FALSE(has_draws({.method = Method::kPooled, .threads = 1}));
}

}  // namespace
}  // namespace otss::test
