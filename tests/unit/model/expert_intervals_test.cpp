#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
using Vector = std::vector<double>;

// Positive contexts belong to the first expert, negative ones to the second.
std::shared_ptr<const SoftMixture> two_experts() {
  return std::make_shared<SoftMixture>(LinearGate(1, {1, 0}, {0, 0}), 2, Vector{1, -2, 3, 5});
}

Fitted model_with(std::shared_ptr<const SoftMixture> mixture, AnyUncertainty uncertainty) {
  Fitted::Parts parts;
  parts.encoder.contexts.push_back({.name = "age", .center = 0, .scale = 1});
  parts.encoder.factors = {{"price", 0, 2}, {"health", 0, 0.5}};
  parts.roles = {.contexts = {"age"}, .factors = {"price", "health"}, .outcome = "y"};
  parts.baseline = {0, {0}, Vector(static_cast<std::size_t>(mixture->num_experts()))};
  parts.scorer = std::move(mixture);
  parts.uncertainty = std::move(uncertainty);
  return Fitted(std::move(parts));
}

// The parameters are D (slope and intercept of the first expert's score), then both experts.
Fitted with_normal_errors() {
  return model_with(
      two_experts(),
      std::make_shared<NormalUncertainty>(
          two_experts(), CovarianceFactor{{.5, 0, 0, .2, .1, .3, .4, 0, 0, .7, .6, .6}, 2}));
}

// Two posteriors of the same mixture, which number the experts in opposite orders.
Fitted with_drawn_errors() {
  std::vector<DrawnUncertainty::Draw> draws;
  for (const double error : {-.3, -.1, .1, .3})
    draws.push_back({2, 0, {1, 0, 1 + error, -2, 3 - error, 5 + 2 * error}});
  for (const double error : {-.2, 0., .2})
    draws.push_back({2, 1, {-1, 0, 3 + error, 5, 1 + 3 * error, -2 + error}});
  return model_with(two_experts(), std::make_shared<DrawnUncertainty>(1, 2, false, draws, 1.5));
}

// In a context that belongs to one expert alone, the weights are those of the expert.
void expect_intervals_of_pure_contexts(const Fitted& fitted) {
  Vector lo(4), hi(4);
  fitted.expert_intervals(0.9, lo, hi);
  for (const int k : {0, 1}) {
    const Vector x{k == 0 ? 2000.0 : -2000.0};
    Vector lo_here(2), hi_here(2);
    fitted.intervals(x, 0.9, lo_here, hi_here);
    for (const int j : {0, 1}) {
      EXPECT_NEAR(lo[2 * k + j], lo_here[j], 1e-12);
      EXPECT_NEAR(hi[2 * k + j], hi_here[j], 1e-12);
    }
    EXPECT_LT(lo[2 * k], hi[2 * k]);
  }
}

TEST(ExpertIntervals, AreThoseOfAContextThatBelongsToTheExpertAlone) {
  expect_intervals_of_pure_contexts(with_normal_errors());
}

TEST(ExpertIntervals, FindTheExpertInEveryPosterior) {
  expect_intervals_of_pure_contexts(with_drawn_errors());
}

std::string refusal(const Fitted& fitted, double level = 0.9) {
  const auto size = static_cast<std::size_t>(fitted.num_experts() * fitted.num_factors());
  Vector lo(size), hi(size);
  try {
    fitted.expert_intervals(level, lo, hi);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ExpertIntervals, AreRefusedWithTheReason) {
  EXPECT_THAT(refusal(with_normal_errors(), 90), HasSubstr("90"));
  EXPECT_FALSE(model_with(two_experts(), {}).has_expert_intervals());
  EXPECT_THAT(refusal(model_with(two_experts(), {})), HasSubstr("interval"));
  const LinearGate gate(1, {1, 0}, {0, 0});
  const auto average = std::make_shared<SoftMixture>(AverageGate({{0.5, gate}, {0.5, gate}}), 2,
                                                     Vector{1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<DrawnUncertainty::Draw> draws(2, {2, 0, {1, 0, 1, -2, 3, 5}});
  EXPECT_THAT(refusal(model_with(average, std::make_shared<DrawnUncertainty>(1, 2, false, draws))),
              HasSubstr("--deploy distilled"));
}

}  // namespace
}  // namespace otss
