#include "model/units/unit_posterior.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "model/units/deviation_basis.hpp"
#include "model/units/packed_cholesky.hpp"
#include "otss/base/error.hpp"
#include "unit/model/allocation_counter.hpp"

namespace otss::internal {
namespace {

using ::testing::HasSubstr;

// Random rows of a unit, in coordinates.
struct Sample {
  std::vector<double> directions, offsets, outcomes, weights;

  Sample(OutputFamily family, std::size_t rows, std::size_t rank, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < rows * rank; ++i) directions.push_back(normal(random));
    for (std::size_t r = 0; r < rows; ++r) {
      offsets.push_back(normal(random));
      weights.push_back(0.5 + std::abs(normal(random)));
      const double u = std::uniform_real_distribution<double>()(random);
      const double count = std::floor(4 * u);
      outcomes.push_back(family == OutputFamily::kBernoulli  ? (u < 0.6 ? 1 : 0)
                         : family == OutputFamily::kGaussian ? normal(random)
                                                             : count);
    }
  }
  UnitRows rows() const { return {directions, offsets, outcomes, weights}; }
};

std::vector<double> identity(std::size_t rank) {
  std::vector<double> packed(packed_size(rank), 0.0);
  for (std::size_t i = 0; i < rank; ++i) packed[packed_size(i) + i] = 1;
  return packed;
}

// The negative log posterior, by its definition.
double loss_of(OutputFamily family, double noise, const Sample& sample, std::size_t rank,
               std::span<const double> e) {
  double loss = 0;
  for (const double value : e) loss += 0.5 * value * value;
  for (std::size_t r = 0; r < sample.offsets.size(); ++r) {
    double eta = sample.offsets[r];
    for (std::size_t i = 0; i < rank; ++i) eta += sample.directions[r * rank + i] * e[i];
    loss += sample.weights[r] * family.log_loss(eta, sample.outcomes[r], noise);
  }
  return loss;
}

TEST(UnitPosterior, IsAtTheMinimumOfTheNegativeLogPosterior) {
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    const std::size_t rank = 4;
    const double noise = family == OutputFamily::kGaussian ? 0.7 : 1;
    const Sample sample(family, 12, rank, 11);
    UnitPosterior posterior(family, noise, rank);
    ASSERT_TRUE(posterior.update(sample.rows()));
    std::vector<double> e(posterior.mean().begin(), posterior.mean().end());
    const double step = 1e-4;
    const auto at = [&](std::size_t i, double by, std::size_t j, double other) {
      std::vector<double> moved = e;
      moved[i] += by;
      moved[j] += other;
      return loss_of(family, noise, sample, rank, moved);
    };
    for (std::size_t i = 0; i < rank; ++i) {
      const double slope = (at(i, step, i, 0) - at(i, -step, i, 0)) / (2 * step);
      EXPECT_NEAR(slope, 0, 1e-6) << word(family);
      for (std::size_t j = 0; j <= i; ++j) {
        const double curvature = (at(i, step, j, step) - at(i, step, j, -step) -
                                  at(i, -step, j, step) + at(i, -step, j, -step)) /
                                 (4 * step * step);
        EXPECT_NEAR(posterior.precision()[packed_size(i) + j], curvature, 1e-5) << word(family);
      }
    }
  }
}

TEST(UnitPosterior, OfGaussianOutcomesIsTheSameInPieces) {
  const std::size_t rank = 3;
  const Sample sample(OutputFamily::kGaussian, 10, rank, 5);
  UnitPosterior whole(OutputFamily::kGaussian, 0.5, rank);
  ASSERT_TRUE(whole.update(sample.rows()));
  UnitPosterior pieces(OutputFamily::kGaussian, 0.5, rank);
  const UnitRows rows = sample.rows();
  ASSERT_TRUE(pieces.update({rows.directions.first(6 * rank), rows.offsets.first(6),
                             rows.outcomes.first(6), rows.weights.first(6)}));
  const std::vector<double> precision(pieces.precision().begin(), pieces.precision().end());
  std::vector<double> information(rank);
  multiply_packed(precision, pieces.mean(), information);
  ASSERT_TRUE(pieces.update({precision, information},
                            {rows.directions.subspan(6 * rank), rows.offsets.subspan(6),
                             rows.outcomes.subspan(6), rows.weights.subspan(6)}));
  for (std::size_t i = 0; i < rank; ++i) EXPECT_NEAR(pieces.mean()[i], whole.mean()[i], 1e-12);
  for (std::size_t i = 0; i < packed_size(rank); ++i)
    EXPECT_NEAR(pieces.factor()[i], whole.factor()[i], 1e-12);
}

TEST(UnitPosterior, ConvergesForRowsThatAPureNewtonStepOvershoots) {
  // All outcomes are 1 although the offsets say 0 with near certainty: the curvature is almost 0 at
  // the start, so the first full step would be far too long.
  const std::vector<double> directions(20, 3.0), offsets(20, -40.0), outcomes(20, 1.0);
  UnitPosterior posterior(OutputFamily::kBernoulli, 1, 1);
  ASSERT_TRUE(posterior.update({directions, offsets, outcomes}));
  const double e = posterior.mean()[0];
  EXPECT_NEAR(e, 20 * 3.0 / (1 + std::exp(-40 + 3 * e)), 1e-9);
}

TEST(UnitPosterior, WithoutRowsIsThePrior) {
  UnitPosterior posterior(OutputFamily::kBernoulli, 1, 3);
  ASSERT_TRUE(posterior.update(UnitRows{}));
  EXPECT_THAT(posterior.mean(), ::testing::Each(0.0));
  EXPECT_THAT(posterior.factor(), ::testing::ElementsAreArray(identity(3)));
}

TEST(UnitPosterior, RefusesAPriorThatIsNotPositiveDefiniteAndNumbersThatOverflow) {
  UnitPosterior posterior(OutputFamily::kPoisson, 1, 1);
  const std::vector<double> negative{-1.0}, zero{0.0}, one{1.0}, huge{1e300};
  EXPECT_FALSE(posterior.update({negative, zero}, UnitRows{}));
  EXPECT_FALSE(posterior.update({one, huge, one}));
}

TEST(UnitPosterior, AllocatesNoMemoryAfterTheFirstUnit) {
  const Sample sample(OutputFamily::kBernoulli, 10, 9, 3);
  UnitPosterior posterior(OutputFamily::kBernoulli, 1, 9);
  posterior.update(sample.rows());
  const std::size_t before = num_allocations();
  posterior.update(sample.rows());
  EXPECT_EQ(num_allocations(), before);
}

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
