#include "model/units/deviation_basis.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

using ::testing::HasSubstr;

Deviations full(std::vector<double> covariance, int rank) {
  return {DeviationForm::kFull, rank, std::move(covariance)};
}

TEST(DeviationBasis, GivesBackTheCovarianceAlsoWhereItIsSingular) {
  // The third row is the sum of the first two, so the rank is 2.
  const Deviations deviations = full({4, 1, 5, 1, 9, 10, 5, 10, 15}, 2);
  check_deviations(deviations, 2);
  const DeviationBasis basis(deviations, 2);
  EXPECT_EQ(basis.rank(), 2);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const auto a = basis.row(i), b = basis.row(j);
      EXPECT_NEAR(std::inner_product(a.begin(), a.end(), b.begin(), 0.0),
                  deviations.covariance[3 * i + j], 1e-12);
    }
  }
}

TEST(DeviationBasis, ProjectsARowSoThatItsPredictorIsRight) {
  const DeviationBasis basis(full({4, 1, 0, 1, 9, 2, 0, 2, 1}, 3), 2);
  const std::vector<double> z{0.5, -2}, e{1, -0.3, 0.7};
  std::vector<double> direction(3), deviation(3);
  basis.project(z, direction);
  basis.expand(e, deviation);
  EXPECT_NEAR(std::inner_product(direction.begin(), direction.end(), e.begin(), 0.0),
              deviation[0] + z[0] * deviation[1] + z[1] * deviation[2], 1e-12);
}

std::string refusal(const Deviations& deviations, int num_factors) {
  try {
    check_deviations(deviations, num_factors);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckDeviations, RefusesWhatNoFitCanHaveWritten) {
  EXPECT_EQ(refusal({DeviationForm::kNone, 0, {0, 0, 0, 0}}, 1), "accepted");
  EXPECT_EQ(refusal({DeviationForm::kIntercept, 1, {2, 0, 0, 0}}, 1), "accepted");
  EXPECT_EQ(refusal({DeviationForm::kDiagonal, 2, {2, 0, 0, 3}}, 1), "accepted");
  EXPECT_THAT(refusal(full({1, 0, 0}, 1), 1), HasSubstr("3 entries"));
  EXPECT_THAT(refusal(full({1, 2, 2, 1}, 2), 1), HasSubstr("not positive semidefinite"));
  EXPECT_THAT(refusal(full({0, 1, 1, 0}, 2), 1), HasSubstr("not positive semidefinite"));
  EXPECT_THAT(refusal(full({1, 0.5, 0.4, 1}, 2), 1), HasSubstr("not symmetric"));
  EXPECT_THAT(refusal(full({1, 0, 0, -1}, 2), 1), HasSubstr("negative variance in row 2"));
  EXPECT_THAT(refusal(full({1, 0, 0, NAN}, 2), 1), HasSubstr("between -1e60 and 1e60"));
  EXPECT_THAT(refusal(full({1, 0, 0, 1}, 1), 1),
              HasSubstr("of rank 2, but say that it has rank 1"));
  EXPECT_THAT(refusal({DeviationForm::kIntercept, 1, {1, 0, 0, 1}}, 1),
              HasSubstr("form intercept"));
  EXPECT_THAT(refusal({DeviationForm::kDiagonal, 2, {1, .1, .1, 1}}, 1),
              HasSubstr("form diagonal"));
  EXPECT_THAT(refusal({DeviationForm::kNone, 1, {0, 0, 0, 0}}, 1), HasSubstr("at most 0"));
}

}  // namespace
}  // namespace otss::internal
