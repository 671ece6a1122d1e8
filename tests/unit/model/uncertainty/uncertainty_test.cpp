#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/normal_law.hpp"
#include "base/random.hpp"
#include "model/maps/gate_columns.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "model/uncertainty/draws_of_weights.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::DoubleEq;
using testing::ElementsAre;

std::vector<double> normals(std::size_t count, Rng& rng) {
  std::vector<double> values(count);
  for (double& value : values) value = rng.normal();
  return values;
}

// A mixture with these parameters; gate scores are less the last expert's.
std::shared_ptr<const SoftMixture> mixture_of(const MixtureSize& size, int num_contexts,
                                              const std::vector<double>& parameters) {
  std::vector<double> slopes, intercepts;
  for (int k = 0; k < size.num_experts; ++k) {
    for (int i = 0; i <= size.num_columns; ++i) {
      const double entry = k + 1 < size.num_experts ? parameters[size.gate(k) + i] : 0;
      (i < size.num_columns ? slopes : intercepts).push_back(entry);
    }
  }
  const LinearGate linear(size.num_columns, slopes, intercepts);
  Gate gate = linear;
  if (size.num_columns != num_contexts) gate = QuadraticGate(num_contexts, linear);
  return std::make_shared<SoftMixture>(
      gate, size.num_factors,
      std::vector<double>(parameters.begin() + static_cast<std::ptrdiff_t>(size.expert(0)),
                          parameters.end()));
}

std::vector<double> weights_at(const SoftMixture& mixture, const std::vector<double>& x) {
  std::vector<double> w(mixture.num_factors());
  mixture.weights(x, w);
  return w;
}

// Independent parameters of unit variance: the covariance of w(x) is dw/dtheta times its transpose.
NormalUncertainty with_unit_covariance(std::shared_ptr<const SoftMixture> mixture,
                                       std::size_t num_parameters) {
  std::vector<double> identity(num_parameters * num_parameters, 0.0);
  for (std::size_t i = 0; i < num_parameters; ++i) identity[i * (num_parameters + 1)] = 1;
  return {std::move(mixture), {identity, static_cast<int>(num_parameters)}};
}

// One trade-off with a given covariance C = F F', two factors.
NormalUncertainty pooled(const std::vector<double>& w, const std::vector<double>& factor) {
  const auto gate = LinearGate(0, std::vector<double>{}, std::vector<double>{0});
  return {std::make_shared<SoftMixture>(gate, static_cast<int>(w.size()), w),
          {factor, static_cast<int>(factor.size() / w.size())}};
}

class DeltaMethod : public testing::TestWithParam<bool> {};

TEST_P(DeltaMethod, UsesTheDerivativeOfTheWeights) {
  const bool quadratic = GetParam();
  const int num_contexts = 2;
  const MixtureSize size{num_gate_columns(num_contexts, quadratic), 2, 3};
  Rng rng(5);
  const std::vector<double> parameters = normals(size.size(), rng);
  const std::vector<double> x = normals(num_contexts, rng);
  std::vector<double> expected(4, 0.0);
  for (std::size_t i = 0; i < size.size(); ++i) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = parameters, down = parameters;
    up[i] += kStep;
    down[i] -= kStep;
    const auto above = weights_at(*mixture_of(size, num_contexts, up), x);
    const auto below = weights_at(*mixture_of(size, num_contexts, down), x);
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b)
        expected[2 * a + b] += (above[a] - below[a]) * (above[b] - below[b]) / (4 * kStep * kStep);
    }
  }
  const NormalUncertainty normal =
      with_unit_covariance(mixture_of(size, num_contexts, parameters), size.size());
  std::vector<double> covariance(4);
  normal.covariance(x, covariance);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(covariance[i], expected[i], 1e-8);
}

// The linear predictors of a mixture's experts; the baseline has these parameters.
std::vector<double> expert_etas(const SoftMixture& mixture, const MixtureSize& size,
                                std::span<const double> baseline, const std::vector<double>& x,
                                std::span<const double> z) {
  const std::vector<double> columns = gate_columns(x, size.num_columns != std::ssize(x));
  std::vector<double> eta;
  for (int k = 0; k < size.num_experts; ++k) {
    eta.push_back(baseline[size.intercept(k)]);
    for (std::size_t i = 0; i < columns.size(); ++i) eta.back() += baseline[i] * columns[i];
    for (std::size_t j = 0; j < z.size(); ++j) eta.back() += mixture.expert(k)[j] * z[j];
  }
  return eta;
}

// The linear predictor of a mixture whose baseline has these parameters.
double eta_at(const SoftMixture& mixture, const MixtureSize& size, std::span<const double> baseline,
              const std::vector<double>& x, std::span<const double> z,
              Mixed mixed = Mixed::kPredictors) {
  std::vector<double> alpha(size.num_experts);
  mixture.shares(x, alpha);
  return mixed_predictor(mixed, alpha, expert_etas(mixture, size, baseline, x, z));
}

// Compares the interval of eta with the one that finite differences of eta give.
void expect_delta_method(bool quadratic, Mixed mixed) {
  const int num_contexts = 2;
  const MixtureSize size{num_gate_columns(num_contexts, quadratic), 2, 3};
  Rng rng(15);
  const std::size_t of_weights = size.size(), all = of_weights + size.baseline_size();
  const std::vector<double> parameters = normals(all, rng);
  const std::vector<double> x = normals(num_contexts, rng), z = normals(2, rng);
  const auto eta = [&](const std::vector<double>& theta) {
    const std::vector<double> weights(theta.begin(),
                                      theta.begin() + static_cast<std::ptrdiff_t>(of_weights));
    return eta_at(*mixture_of(size, num_contexts, weights), size,
                  std::span(theta).subspan(of_weights), x, z, mixed);
  };
  double variance = 0;
  for (std::size_t i = 0; i < all; ++i) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = parameters, down = parameters;
    up[i] += kStep;
    down[i] -= kStep;
    variance += std::pow((eta(up) - eta(down)) / (2 * kStep), 2);
  }
  std::vector<double> identity(of_weights * of_weights, 0.0);
  for (std::size_t i = 0; i < of_weights; ++i) identity[i * (of_weights + 1)] = 1;
  std::vector<double> rest(size.baseline_size() * all, 0.0);
  for (std::size_t i = 0; i < size.baseline_size(); ++i) rest[i * all + of_weights + i] = 1;
  const std::vector<double> weights(parameters.begin(),
                                    parameters.begin() + static_cast<std::ptrdiff_t>(of_weights));
  const auto mixture = mixture_of(size, num_contexts, weights);
  const NormalUncertainty normal(mixture, {identity, static_cast<int>(of_weights)},
                                 {rest, static_cast<int>(all)});
  std::vector<double> alpha(size.num_experts);
  mixture->shares(x, alpha);
  ExpertEffects effects{alpha, alpha};
  expert_effects(mixed, alpha,
                 expert_etas(*mixture, size, std::span(parameters).subspan(of_weights), x, z),
                 effects.by_score, effects.by_predictor);
  const Bounds bounds = normal.predictor_interval(x, z, effects, 0.9);
  EXPECT_NEAR(bounds.hi, normal_quantile(0.95) * std::sqrt(variance), 1e-7);
  EXPECT_DOUBLE_EQ(bounds.lo, -bounds.hi);
}

TEST_P(DeltaMethod, UsesTheDerivativeOfThePredictor) {
  expect_delta_method(GetParam(), Mixed::kPredictors);
}

TEST_P(DeltaMethod, UsesTheDerivativeOfTheMixedProbability) {
  expect_delta_method(GetParam(), Mixed::kProbabilities);
}

INSTANTIATE_TEST_SUITE_P(Gates, DeltaMethod, testing::Bool(),
                         [](const auto& gate) { return gate.param ? "Quadratic" : "Linear"; });

TEST(NormalUncertainty, DrawsHaveExactlyItsMomentsInEveryContext) {
  const MixtureSize size{3, 4, 2};
  Rng rng(6);
  const auto mixture = mixture_of(size, 3, normals(size.size(), rng));
  const NormalUncertainty normal(mixture, {normals(size.size() * 5, rng), 5});
  const std::vector<double> x = normals(3, rng);
  std::vector<double> covariance(16);
  normal.covariance(x, covariance);
  std::vector<double> draws(normal.num_draws() * 4);
  normal.departures(x, draws);
  std::vector<double> moments(16, 0.0);
  for (std::size_t d = 0; d < draws.size(); d += 4) {
    for (int i = 0; i < 16; ++i)
      moments[i] += draws[d + i / 4] * draws[d + i % 4] / normal.num_draws();
  }
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(moments[i], covariance[i], 1e-9);
}

TEST(NormalUncertainty, CombinedDeparturesAreThoseOfTheCombinedWeights) {
  // The parameters move along one direction, so that every weight moves with one normal variable.
  const MixtureSize size{3, 4, 2};
  Rng rng(8);
  const auto mixture = mixture_of(size, 3, normals(size.size(), rng));
  const NormalUncertainty normal(mixture, {normals(size.size(), rng), 1});
  const std::vector<double> x = normals(6, rng);
  const std::vector<double> coefficients = {0.7, -0.3};
  const std::size_t entries = normal.num_draws() * 4;
  std::vector<double> combined(entries), first(entries);
  normal.combined_departures(x, coefficients, combined);
  std::vector<double> lo(4), hi(4), of_first(16), of_second(16);
  normal.covariance(std::span(x).first(3), of_first);
  normal.covariance(std::span(x).last(3), of_second);
  normal.interval_of(combined, 0.9, Coverage::kEachFactor, lo, hi);
  for (int j = 0; j < 4; ++j) {
    // The standard deviations add up or cancel, as the two weights move in the same direction or not.
    const double one = 0.7 * std::sqrt(of_first[5 * j]);
    const double other = 0.3 * std::sqrt(of_second[5 * j]);
    const double size_found = hi[j] / normal_quantile(0.95);
    const double nearest = std::min(std::abs(size_found - std::abs(one - other)),
                                    std::abs(size_found - (one + other)));
    EXPECT_NEAR(nearest, 0, 1e-9);
  }
  normal.combined_departures(std::span(x).first(3), std::vector<double>{1}, combined);
  normal.departures(std::span(x).first(3), first);
  EXPECT_EQ(combined, first);
}

TEST(NormalUncertainty, IntervalsAreNormalQuantiles) {
  const NormalUncertainty normal = pooled({1, -2}, {3, 0, 1, 0.5});
  std::vector<double> lo(2), hi(2);
  normal.interval({}, 0.9, Coverage::kEachFactor, lo, hi);
  const double z = normal_quantile(0.95);
  EXPECT_NEAR(hi[0], 3 * z, 1e-9);
  EXPECT_NEAR(hi[1], std::sqrt(1.25) * z, 1e-9);
  EXPECT_NEAR(lo[0], -hi[0], 1e-12);
}

TEST(NormalUncertainty, IntervalsTogetherAreTheBallOfIndependentFactors) {
  // P(max |Z_j| <= c)^8 = 0.9: c is the normal quantile of (1 + 0.9^(1/8)) / 2.
  std::vector<double> identity(64, 0.0);
  for (int i = 0; i < 8; ++i) identity[9 * i] = 1;
  const NormalUncertainty normal = pooled(std::vector<double>(8, 0.0), identity);
  std::vector<double> lo(8), hi(8);
  normal.interval({}, 0.9, Coverage::kAllFactors, lo, hi);
  const double exact = normal_quantile(0.5 + 0.5 * std::pow(0.9, 1.0 / 8));
  // Standard error of the 0.9 quantile of 512 draws: sqrt(.09 / 512) over the density there, 0.2.
  EXPECT_NEAR(hi[0], exact, 3 * std::sqrt(0.09 / 512) / 0.2);
}

TEST(Uncertainty, CoveringTogetherIsNeverNarrower) {
  Rng rng(7);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const NormalUncertainty normal = pooled(normals(3, rng), normals(9, rng));
    for (const double level : {0.5, 0.9, 0.99}) {
      std::vector<double> lo(3), hi(3), lo_all(3), hi_all(3);
      normal.interval({}, level, Coverage::kEachFactor, lo, hi);
      normal.interval({}, level, Coverage::kAllFactors, lo_all, hi_all);
      for (int j = 0; j < 3; ++j) {
        EXPECT_LE(lo_all[j], lo[j]);
        EXPECT_GE(hi_all[j], hi[j]);
      }
    }
  }
}

DrawnUncertainty pooled_draws(const std::vector<double>& values, double spread = 1) {
  std::vector<DrawnUncertainty::Draw> draws;
  for (const double value : values) draws.push_back({1, 0, {value}});
  return {0, 1, false, draws, spread};
}

TEST(DrawnUncertainty, DepartsFromTheMeanOfItsDraws) {
  std::vector<double> departures(3);
  pooled_draws({1, 2, 6}).departures({}, departures);
  const double unbiased = std::sqrt(3.0 / 2);
  EXPECT_THAT(departures,
              ElementsAre(DoubleEq(-2 * unbiased), DoubleEq(-unbiased), DoubleEq(3 * unbiased)));
  pooled_draws({1, 2, 6}, 2).departures({}, departures);
  EXPECT_DOUBLE_EQ(departures[0], -4 * unbiased);
}

TEST(DrawnUncertainty, CombinedDeparturesAreCombinedByDraw) {
  const MixtureSize size{2, 3, 2};
  Rng rng(9);
  std::vector<DrawnUncertainty::Draw> draws;
  for (int d = 0; d < 5; ++d) draws.push_back({2, 0, normals(size.size(), rng)});
  const DrawnUncertainty drawn(2, 3, false, draws);
  const std::vector<double> x = normals(4, rng);
  std::vector<double> combined(15), first(15), second(15);
  drawn.combined_departures(x, std::vector<double>{2, -0.5}, combined);
  drawn.departures(std::span(x).first(2), first);
  drawn.departures(std::span(x).last(2), second);
  for (int i = 0; i < 15; ++i) EXPECT_NEAR(combined[i], 2 * first[i] - 0.5 * second[i], 1e-12);
}

TEST(DrawnUncertainty, DisagreementOfPosteriorsIsNoSpread) {
  std::vector<double> departures(4);
  const DrawnUncertainty drawn(0, 1, false, {{1, 0, {1}}, {1, 0, {2}}, {1, 1, {11}}, {1, 1, {12}}});
  drawn.departures({}, departures);
  EXPECT_DOUBLE_EQ(departures[0], departures[2]);
  EXPECT_DOUBLE_EQ(departures[1], departures[3]);
  EXPECT_DOUBLE_EQ(departures[1], std::sqrt(0.5));
}

TEST(DrawnUncertainty, IntervalsAreQuantilesOfItsDraws) {
  std::vector<double> values;
  for (int i = -49; i <= 49; ++i) values.push_back(i);
  std::vector<double> lo(1), hi(1);
  pooled_draws(values).interval({}, 0.9, Coverage::kEachFactor, lo, hi);
  // The fifth of a hundred gaps ends at the fifth draw.
  EXPECT_NEAR(lo[0], -45 * std::sqrt(99.0 / 98), 1e-9);
  EXPECT_NEAR(hi[0], 45 * std::sqrt(99.0 / 98), 1e-9);
}

TEST(DrawnUncertainty, EachDrawIsAMixtureOfItsOwnNumberOfExperts) {
  Rng rng(8);
  const MixtureSize two{3, 2, 2}, one{3, 2, 1};
  const std::vector<double> first = normals(two.size(), rng), second = normals(one.size(), rng);
  const std::vector<double> x = normals(3, rng);
  std::vector<double> departures(4);
  DrawnUncertainty(3, 2, false, {{2, 0, first}, {1, 0, second}}).departures(x, departures);
  const auto w = weights_at(*mixture_of(two, 3, first), x);
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(departures[j], (w[j] - second[j]) / std::sqrt(2.0), 1e-12);
}

TEST(DrawnUncertainty, ErrorsOfAnExpertCountFromDrawsWithAsManyExperts) {
  // Draws of one posterior: two with one expert, and two whose second expert is near the asked one.
  const DrawnUncertainty drawn(0, 1, false,
                               {{1, 0, {9}}, {1, 0, {9}}, {2, 0, {0, 9, 1}}, {2, 0, {0, 9, 3}}});
  std::vector<double> errors(4);
  drawn.expert_departures(std::vector<double>{2}, std::vector<double>{1}, errors);
  EXPECT_THAT(errors, ElementsAre(0, 0, DoubleEq(-std::sqrt(2)), DoubleEq(std::sqrt(2))));
}

TEST(DrawnUncertainty, PredictorsDepartByWeightsAndBaselineTogether) {
  const MixtureSize two{2, 1, 2}, one{2, 1, 1};
  Rng rng(9);
  const std::vector<double> first = normals(two.size(), rng), second = normals(one.size(), rng);
  const std::vector<double> baseline = normals(two.baseline_size(), rng);
  const std::vector<double> other = normals(one.baseline_size(), rng);
  const std::vector<double> x = normals(2, rng), z{1.5};
  const DrawnUncertainty drawn(2, 1, false, {{2, 0, first, baseline}, {1, 0, second, other}});
  ASSERT_TRUE(drawn.knows_baseline());
  const double difference = eta_at(*mixture_of(two, 2, first), two, baseline, x, z) -
                            eta_at(*mixture_of(one, 2, second), one, other, x, z);
  const Bounds bounds = drawn.predictor_interval(x, z, {}, 0.9999);
  EXPECT_NEAR(bounds.hi, std::abs(difference) / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(bounds.lo, -bounds.hi, 1e-9);
  EXPECT_FALSE(pooled_draws({1, 2}).knows_baseline());
}

TEST(ExactNormals, HaveExactMoments) {
  const std::vector<double> rows = exact_normals(64, 5);
  for (int a = 0; a < 5; ++a) {
    double mean = 0;
    for (int i = 0; i < 64; ++i) mean += rows[5 * i + a] / 64;
    EXPECT_NEAR(mean, 0, 1e-14);
    for (int b = 0; b < 5; ++b) {
      double product = 0;
      for (int i = 0; i < 64; ++i) product += rows[5 * i + a] * rows[5 * i + b] / 64;
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(Cholesky, TakesDirectionsWithoutVariance) {
  const std::vector<double> singular{4, 2, 2, 1};
  const std::vector<double> lower = cholesky(singular, 2);
  EXPECT_NEAR(lower[0], 2, 1e-15);
  EXPECT_NEAR(lower[2], 1, 1e-15);
  EXPECT_NEAR(lower[3], 0, 1e-15);
}

}  // namespace
}  // namespace otss
