#include "learn/problem/large_problem.hpp"

#include <gtest/gtest.h>

#include "unit/learn/small_problem.hpp"

namespace otss::test {
namespace {

TEST(SpreadRows, AreThoseOfASubsampleOfTheWholeProblem) {
  constexpr std::size_t kRows = 3000, kWanted = 700;
  Rng rng(5);
  std::vector<double> x, z, y, weights;
  for (std::size_t i = 0; i < kRows; ++i) {
    x.push_back(rng.normal());
    z.push_back(rng.normal());
    y.push_back(rng.uniform() < 0.4 ? 1 : 0);
    weights.push_back(i % 3 == 0 ? 0 : 1 + rng.uniform());
  }
  const LoggedData log = make_log({{.name = "x", .numbers = x}}, {{.name = "z", .numbers = z}}, y,
                                  {.weight = {.name = "w", .numbers = weights}});
  std::vector<std::size_t> expected_rows, rows;
  const Problem expected =
      subsample(whole_problem(log, OutputFamily::kBernoulli), kWanted, &expected_rows);
  // The problem keeps its rows.
  const Problem problem = spread_rows(log, {}, kWanted, &rows).problem;
  EXPECT_EQ(rows, expected_rows);
  ASSERT_EQ(problem.num_rows(), expected.num_rows());
  EXPECT_EQ(problem.rows.total(), expected.rows.total());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    EXPECT_EQ(problem.rows[i], expected.rows[i]);
    EXPECT_EQ(problem.features->at(i, 0), expected.features->at(i, 0));
    EXPECT_EQ(problem.features->at(i, 1), expected.features->at(i, 1));
  }
}

}  // namespace
}  // namespace otss::test
