#include "otss/learn/check.hpp"

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>

#include "base/random.hpp"
#include "learn/checks/direction_words.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/problem/factor_information.hpp"
#include "unit/data/fixtures.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;

// x, then z1 independent of it, z2 = x + noise.
std::vector<test::Row> leaning_rows(int count, double noise) {
  Rng rng(7001);
  std::vector<test::Row> rows(count);
  for (test::Row& row : rows) {
    row.x = test::normals(rng, 1);
    row.z = {rng.normal(), row.x[0] + noise * rng.normal()};
    row.outcome = rng.uniform() < test::logistic(0.5 * row.x[0] + row.z[0]);
  }
  return rows;
}

TEST(FactorVariation, IsWhatALinearFunctionOfTheContextLeaves) {
  const FactorVariation variation =
      factor_variation(test::problem_of(leaning_rows(20'000, 0.5)), 1);
  EXPECT_NEAR(variation.overall(1, 1), 1.25, 0.05);
  EXPECT_NEAR(variation.given_context(0, 0), 1, 0.03);
  EXPECT_NEAR(variation.given_context(1, 1), 0.25, 0.01);
}

TEST(FactorInformation, PredictsHowFarPooledWeightsScatter) {
  const Problem problem = test::problem_of(leaning_rows(4000, 0.5));
  const PooledFit fit = fit_pooled(problem, 1);
  const MatrixXd covariance = factor_information(problem, fit.fit.theta, 1).inverse();
  // The true weights are (1, 0); four standard errors leave no room for luck with this seed.
  const std::size_t first = fit.fit.layout.expert(0);
  EXPECT_NEAR(fit.fit.theta[first], 1, 4 * std::sqrt(covariance(0, 0)));
  EXPECT_NEAR(fit.fit.theta[first + 1], 0, 4 * std::sqrt(covariance(1, 1)));
}

TEST(FactorInformation, IsAQuarterOfTheVariationARowWhereNothingMovesTheOutcome) {
  const Problem problem = test::problem_of(leaning_rows(4000, 0.5));
  const std::vector<double> zero(problem.layout(1).size(), 0.0);
  // A variance over 4000 rows is known to 2.2 %; four such errors are allowed.
  const double expected = 4000 * 0.25 * 0.25;
  EXPECT_NEAR(factor_information(problem, zero, 1)(1, 1), expected, 0.09 * expected);
}

TEST(SchurComplement, BearsGivenEntriesThatRepeatEachOther) {
  MatrixXd curvature(3, 3);
  curvature << 4, 1, 1,  //
      1, 2, 2,           //
      1, 2, 2;
  EXPECT_NEAR(schur_complement(curvature, 0, 1, 1, 2)(0, 0), 4 - 0.5, 1e-8);
}

Encoder encoder_of(const std::vector<FactorColumn>& factors) {
  return {.contexts = {}, .factors = factors};
}

TEST(DirectionWords, AreInTheLogsOwnUnits) {
  const Encoder encoder = encoder_of({{"price", 10, 2}, {"discount", 0, 4}, {"idle", 0, 1}});
  const DirectionWords words = direction_words(VectorXd{{1, -1.96, 0.01}}, encoder);
  EXPECT_EQ(words.text, "discount - 1.02 price");
  EXPECT_THAT(words.factors, testing::ElementsAre("discount", "price"));
  EXPECT_EQ(direction_words(VectorXd{{0, 0, -1}}, encoder).text, "idle");
  EXPECT_EQ(direction_words(VectorXd{{-1, 2, 0}}, encoder).text, "discount - price");
}

TEST(SparseBasis, TakesMixedDirectionsApart) {
  const MatrixXd apart{{1, 0}, {-1, 0}, {0, 1}, {0, 2}};
  const MatrixXd mixed = apart * MatrixXd{{0.8, 0.6}, {-0.6, 0.8}};
  const MatrixXd found = sparse_basis(mixed);
  for (int column = 0; column < 2; ++column)
    EXPECT_EQ((found.col(column).cwiseAbs().array() > 1e-9).count(), 2);
}

struct Values {
  double x, a, b, c, y;
};

class CheckLog : public testing::Test {
 protected:
  // Rows with `change` made to each.
  template <class Change>
  LogCheck check(Change change, int count = 800) {
    Rng rng(7002);
    std::string text = "x,a,b,c,y\n";
    for (int i = 0; i < count; ++i) {
      Values row{rng.normal(), rng.normal(), rng.normal(), rng.normal(), 0};
      row.y = rng.uniform() < test::logistic(row.a - row.b) ? 1 : 0;
      change(row);
      text += fmt::format("{},{},{},{},{}\n", row.x, row.a, row.b, row.c, row.y);
    }
    const std::string path = folder_.write("log.csv", text);
    const Roles roles{.contexts = {"x"}, .factors = {"a", "b", "c"}, .outcome = "y"};
    TableSource source;  // g++ 12 fails on a designated one inside a template
    source.path = path;
    return check_log(source, roles);
  }

  // What a fit finds in the log of the last check(), without its table.
  Findings problems() {
    const Roles roles{.contexts = {"x"}, .factors = {"a", "b", "c"}, .outcome = "y"};
    return find_problems(read_log(folder_.path("log.csv"), roles), OutputFamily::kBernoulli, 2);
  }

  Folder folder_;
};

TEST_F(CheckLog, FindsNothingInAHealthyLog) {
  const LogCheck found = check([](Values&) {});
  EXPECT_TRUE(found.identified);
  EXPECT_THAT(found.findings, testing::IsEmpty());
  EXPECT_EQ(found.rows, 800U);
  EXPECT_LT(found.condition.value(), 1.5);
}

TEST_F(CheckLog, NamesTheDirectionThatCannotBeLearned) {
  const LogCheck found = check([](Values& row) { row.c = row.a + 3 * row.x; });
  EXPECT_FALSE(found.identified);
  EXPECT_EQ(found.findings.front().kind, "collinear_given_context");
  EXPECT_THAT(found.findings.front().what, HasSubstr("c - a hardly varies"));
}

TEST_F(CheckLog, GoesOnAfterADefectThatFitRefuses) {
  const LogCheck found = check([](Values& row) {
    row.b = 1;
    row.c = 2 * row.a;
  });
  ASSERT_EQ(found.findings.size(), 2U);
  EXPECT_EQ(found.findings[0].kind, "constant_factor");
  EXPECT_EQ(found.findings[1].kind, "duplicated_factors");
  EXPECT_TRUE(found.outcome_rate.has_value());
}

TEST_F(CheckLog, IsSureOfLessWithFewerRows) {
  const auto lean = [](Values& row) { row.c = row.a + 0.02 * row.c; };
  EXPECT_FALSE(check(lean, 60).identified);
  const LogCheck many = check(lean, 20'000);
  EXPECT_TRUE(many.identified);
  EXPECT_EQ(many.findings.front().severity, Severity::kWarning);
}

TEST_F(CheckLog, AndAFitFindTheSameProblems) {
  // Returns the problems that a fit finds, after comparing them with those of the check.
  const auto same_problems = [&](auto change, int count) {
    const Findings checked = check(change, count).findings;
    const Findings fitted = problems();
    EXPECT_EQ(checked, fitted);
    return fitted;
  };
  EXPECT_THAT(same_problems([](Values&) {}, 800), testing::IsEmpty());
  EXPECT_EQ(same_problems([](Values& row) { row.c = row.a + 3 * row.x; }, 800).front().severity,
            Severity::kUnidentified);
  const auto lean = [](Values& row) { row.c = row.a + 0.02 * row.c; };
  EXPECT_EQ(same_problems(lean, 20'000).front().severity, Severity::kWarning);
  EXPECT_THAT(same_problems([](Values&) {}, 30), testing::Not(testing::IsEmpty()));
  const auto still = [](Values& row) { row.b = row.x > 1 ? 0.001 * row.b : row.b; };
  EXPECT_EQ(same_problems(still, 4000).front().kind, "thin_region");
}

}  // namespace
}  // namespace otss
