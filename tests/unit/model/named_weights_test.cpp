#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/fitted.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;
using testing::HasSubstr;
using Vector = std::vector<double>;

// age is encoded as (age - 40) / 10.
Fitted model_of(const AnyScorer& scorer, Vector expert_intercepts) {
  Fitted::Parts parts;
  parts.encoder.contexts.push_back({.name = "age", .center = 40, .scale = 10});
  parts.encoder.factors = {{"price", 1.5, 2}, {"health", 0.1, 0.3}};
  parts.roles = {.contexts = {"age"}, .factors = {"price", "health"}, .outcome = "y"};
  parts.scorer = scorer;
  parts.baseline = {0.1, {0}, std::move(expert_intercepts)};
  return Fitted(std::move(parts));
}

// Everybody above 40 is all of the second expert.
Fitted two_experts() {
  return model_of(std::make_shared<SoftMixture>(OneHotGate(LinearGate(1, {-1, 1}, {0, 0})), 2,
                                                Vector{1, 2, 3, 4}),
                  {0, 0});
}

Fitted without_experts() {
  return model_of(std::make_shared<LinearWeights>(1, Vector{1, 10}, Vector{3, 4}), {});
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NamedWeights, AreThoseOfTheNamedContext) {
  const NamedValue row[] = {{"age", 60.0}};
  EXPECT_THAT(without_experts().weights(row),
              ElementsAre(NamedWeight{"price", 5}, NamedWeight{"health", 24}));
  EXPECT_THAT(two_experts().weights(row),
              ElementsAre(NamedWeight{"price", 3}, NamedWeight{"health", 4}));
}

TEST(NamedWeights, RefuseAContextColumnThatTheModelDoesNotKnow) {
  const NamedValue row[] = {{"size", 60.0}};
  EXPECT_THAT(refusal([&] { two_experts().weights(row); }), HasSubstr("'size'"));
}

TEST(NamedWeights, OfAnExpertComeWithTheSharesOfAContext) {
  const Fitted fitted = two_experts();
  EXPECT_EQ(fitted.num_experts(), 2);
  EXPECT_THAT(fitted.expert(1), ElementsAre(NamedWeight{"price", 3}, NamedWeight{"health", 4}));
  const NamedValue young[] = {{"age", 20.0}};
  EXPECT_THAT(fitted.shares(young), ElementsAre(1, 0));
  EXPECT_EQ(fitted.mixture()->gate_kind(), GateKind::kOneHot);
}

TEST(NamedWeights, RefuseAnExpertThatTheModelDoesNotHave) {
  EXPECT_THAT(refusal([] { two_experts().expert(2); }), HasSubstr("give a number from 0 to 1"));
  EXPECT_THAT(refusal([] { two_experts().expert(-1); }), HasSubstr("give a number from 0 to 1"));
}

TEST(NamedWeights, SayThatAModelHasNoExperts) {
  const Fitted fitted = without_experts();
  const NamedValue row[] = {{"age", 20.0}};
  EXPECT_EQ(fitted.num_experts(), 0);
  EXPECT_EQ(fitted.mixture(), nullptr);
  EXPECT_THAT(refusal([&] { fitted.expert(0); }), HasSubstr("has no experts"));
  EXPECT_THAT(refusal([&] { fitted.shares(row); }), HasSubstr("has no experts"));
}

TEST(Fitted, CopiesOutliveTheModelTheyWereMadeFrom) {
  const Fitted copy = [] { return Fitted(two_experts()); }();
  Vector w(2);
  copy.weights(Vector{1}, w);
  EXPECT_THAT(w, ElementsAre(3, 4));
  FitReport report;
  report.software = "test";
  EXPECT_EQ(copy.with_report(report).report().software, "test");
  EXPECT_EQ(copy.report().software, "");
}

}  // namespace
}  // namespace otss
