#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/check.hpp"

namespace otss::test {
namespace {

using namespace internal;

// The columns that decide the outcome, as find_unidentified() says, in a log of 6000 rows with the
// factor `z1`, which is random, and the factor `z2`, which is a function of the row, of its outcome and of z1.
std::vector<std::string> deciding_columns(
    const std::function<double(std::size_t row, double outcome, double z1)>& second) {
  constexpr std::size_t kRows = 6000;
  Rng rng(11);
  std::vector<double> x(kRows), z1(kRows), z2(kRows), y(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = rng.normal();
    z1[i] = rng.normal();
    y[i] = rng.uniform() < 0.5 ? 1 : 0;
    z2[i] = second(i, y[i], z1[i] + rng.normal());
  }
  const LoggedData log =
      make_log({{.name = "x", .numbers = x}},
               {{.name = "z1", .numbers = z1}, {.name = "z2", .numbers = z2}}, y);
  std::vector<std::string> names;
  for (const Finding& finding : find_unidentified(log, OutputFamily::kBernoulli, 2)) {
    if (finding.kind == "separation") names.push_back(finding.columns.front());
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(FindUnidentified, NamesAFactorWhoseValuesDecideTheOutcomeInAllRows) {
  EXPECT_EQ(deciding_columns([](std::size_t, double y, double z) {
              return y > 0 ? 1 + std::abs(z) : -1 - std::abs(z);
            }),
            Names{"z2"});
}

TEST(FindUnidentified, NamesAFactorOfFewValuesThatDecideTheOutcome) {
  EXPECT_EQ(deciding_columns([](std::size_t i, double y, double) {
              return i % 3 == 0 && y > 0 ? 2 : static_cast<double>(i % 2);
            }),
            Names{"z2"});
}

TEST(FindUnidentified, NamesNoFactorThatDecidesTheOutcomeOnlyInTheFirstRows) {
  EXPECT_EQ(deciding_columns([](std::size_t i, double y, double z) {
              return i < 5000 ? (y > 0 ? 1 + std::abs(z) : -1 - std::abs(z)) : 2 * z;
            }),
            Names{});
}

TEST(FindUnidentified, NamesNoFactorWithManyValuesThatBothOutcomesShare) {
  EXPECT_EQ(deciding_columns([](std::size_t, double, double z) { return z; }), Names{});
}

// Some rows of so large a log are looked at first.
TEST(FindUnidentified, CountsAllRowsOfALargeLogWhoseFactorsAreTheSameInMostOfThem) {
  constexpr std::size_t kRows = 60'000;
  Rng rng(12);
  std::vector<double> x(kRows), z1(kRows), z2(kRows), y(kRows);
  const auto findings = [&](double share_of_other_rows) {
    for (std::size_t i = 0; i < kRows; ++i) {
      x[i] = rng.normal();
      z1[i] = rng.normal();
      z2[i] = rng.uniform() < share_of_other_rows ? rng.normal() : z1[i];
      y[i] = rng.uniform() < 0.5 ? 1 : 0;
    }
    z2[kRows / 2] = z1[kRows / 2] + 1;  // two factors that are equal everywhere are refused
    return find_problems(
        make_log({{.name = "x", .numbers = x}},
                 {{.name = "z1", .numbers = z1}, {.name = "z2", .numbers = z2}}, y),
        OutputFamily::kBernoulli, 2);
  };
  const Findings same = findings(0);
  ASSERT_EQ(same.size(), 1);
  EXPECT_EQ(same.front().kind, "collinear_factors");
  EXPECT_TRUE(findings(0.5).empty());
}

}  // namespace
}  // namespace otss::test
