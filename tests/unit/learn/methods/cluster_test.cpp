#include "learn/methods/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otss/base/error.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::Row;
using testing::HasSubstr;

// Contexts in two heaps at x1 = -5 and 5; weights (2, -1) in the right one and (-2, 1) in the left.
std::vector<Row> two_heaps(int count) {
  std::vector<Row> rows = test::two_trade_offs(count, 0, 11);
  for (Row& row : rows) row.x[0] = (row.x[0] > 0 ? 5 : -5) + 0.1 * row.x[0];
  return rows;
}

std::string error_of(const std::vector<Row>& rows, const FitOptions& options) {
  try {
    make_cluster(options)->settings(test::problem_of(rows));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cluster, RecoversSeparatedClustersAndTheirWeights) {
  const auto method = make_cluster({.experts = 2});
  const StandardisedModel model = test::fit_setting(*method, test::problem_of(two_heaps(4000)), 0);
  const std::vector<double> right = test::weights_at(model, {5, 0});
  const std::vector<double> left = test::weights_at(model, {-5, 0});
  // 2000 rows each: standard errors of about 0.08.
  EXPECT_NEAR(right[0], 2, 0.3);
  EXPECT_NEAR(right[1], -1, 0.3);
  EXPECT_NEAR(left[0], -2, 0.3);
  EXPECT_NEAR(left[1], 1, 0.3);
}

TEST(Cluster, IsFiniteWhereAClusterHasOneOutcomeOnly) {
  std::vector<Row> rows = two_heaps(400);
  for (Row& row : rows) row.outcome = row.x[0] > 0 || row.outcome;
  const Problem problem = test::problem_of(rows);
  const auto method = make_cluster({.experts = 2});
  const StandardisedModel model = test::fit_setting(*method, problem, 0);
  for (const double eta : predictors(problem, model, 1)) EXPECT_TRUE(std::isfinite(eta));
}

TEST(Cluster, TriesOnlyAsManyClustersAsThereAreDistinctContexts) {
  std::vector<Row> rows = two_heaps(400);
  for (Row& row : rows) row.x = {row.x[0] > 0 ? 1.0 : 0.0, row.x[1] > 1 ? 1.0 : 0.0};
  for (const NamedValues& setting : make_cluster({})->settings(test::problem_of(rows)))
    EXPECT_LE(std::get<std::int64_t>(setting.at("clusters")), 4);
  EXPECT_THAT(error_of(rows, {.experts = 5}),
              HasSubstr("--experts 5: the log has only 4 different contexts; use --experts 4"));
}

TEST(Cluster, HasTheSettingsOfTheLogInAFoldThatLacksOneOfItsContexts) {
  std::vector<Row> rows = two_heaps(400);
  for (Row& row : rows) row.x = {row.x[0] > 0 ? 1.0 : 0.0, 0.0};
  rows.front().x = {2, 2};  // a third context, held out with its only row
  const Problem problem = test::problem_of(rows);
  Folds folds{5, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) folds.of_row.push_back(i % 5);
  const auto method = make_cluster({});
  const Choice choice =
      choose_and_fit(*method, problem, folds, {.treatment = Treatment::kAverage}, {});
  ASSERT_EQ(choice.losses.size(), method->settings(problem).size());
  for (const double loss : choice.losses) EXPECT_TRUE(std::isfinite(loss));
}

TEST(Cluster, RefusesALogWithoutContexts) {
  std::vector<Row> rows = two_heaps(100);
  for (Row& row : rows) row.x.clear();
  EXPECT_THAT(error_of(rows, {}), HasSubstr("--context names no column"));
}

}  // namespace
}  // namespace otss
