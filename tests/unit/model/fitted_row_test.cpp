#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/fitted.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;
using testing::HasSubstr;

Fitted::Parts example() {
  Fitted::Parts parts;
  parts.encoder.contexts = {{.name = "age", .center = 40, .scale = 10},
                            {.name = "region",
                             .kind = ColumnKind::kText,
                             .levels = {"north", "south"},
                             .level_frequencies = {0.75, 0.25}}};
  parts.encoder.factors = {{"price", 1e6, 3}, {"health", -0.2, 0.7}};
  parts.roles = {.contexts = {"age", "region"}, .factors = {"price", "health"}, .outcome = "y"};
  parts.scorer = std::make_shared<SoftMixture>(LinearGate(3, {1, 2, 3, -1, 0, 1}, {0.1, 0.2}), 2,
                                               std::vector<double>{0.3, -1, 0.5, 2});
  parts.baseline = {0.3, {0.1, 0.2, 0.3}, {0.5, -0.5}};
  return parts;
}

std::string refusal(const Fitted& fitted, std::initializer_list<NamedValue> row) {
  std::vector<double> x(3);
  try {
    fitted.encode(row, x);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FittedRow, EncodesPlainTextsAndNumbersByName) {
  const Fitted fitted(example());
  std::vector<double> x(3);
  fitted.encode({{"region", "north"}, {"age", 50}}, x);
  EXPECT_THAT(x, ElementsAre(1, 0.5, -0.5));
  fitted.encode({{"age", 0}, {"region", std::string("south")}}, x);
  EXPECT_THAT(x, ElementsAre(-4, -1.5, 1.5));
}

TEST(FittedRow, TakesAMissingValueInEitherKindAndRefusesTheWrongKind) {
  const Fitted fitted(example());
  std::vector<double> x(3);
  const char* const missing = nullptr;
  fitted.encode({{"region", std::nan("")}, {"age", missing}}, x);
  EXPECT_THAT(x, ElementsAre(0, 0, 0));
  EXPECT_THAT(refusal(fitted, {{"region", "north"}, {"age", "50"}}),
              HasSubstr("a text in column 'age', but the model expects a number"));
  EXPECT_THAT(refusal(fitted, {{"region", 1}, {"age", 50}}),
              HasSubstr("a number in column 'region', but the model expects a text"));
}

TEST(FittedRow, PredictsTheSameFromFactorsAsALogHoldsThem) {
  const std::vector<double> x = {0.5, -1.5, 1.5};
  const std::vector<double> standardised = {1.25, -0.5};
  Fitted::Parts parts = example();
  const std::vector<double> z = {1e6 + 3 * 1.25, -0.2 - 0.7 * 0.5};
  const Fitted mixture(parts);
  EXPECT_NEAR(mixture.standardised_predictor(x, standardised), mixture.predictor(x, z), 1e-9);
  parts.mixes_probabilities = true;
  const Fitted mixed(parts);
  EXPECT_NEAR(mixed.standardised_predictor(x, standardised), mixed.predictor(x, z), 1e-9);
}

// A fuzzer found that the logit of a probability that is rounded to 0 was -infinity.
TEST(FittedRow, MixedProbabilitiesHaveAFiniteLogitWhereTheyAreRoundedTo0Or1) {
  Fitted::Parts parts = example();
  parts.mixes_probabilities = true;
  const Fitted fitted(parts);
  const std::vector<double> x(3, 0.0);
  const auto at = [&](double price) {
    return fitted.standardised_predictor(x, std::vector<double>{price, 0});
  };
  // The expert with the smaller weight of price, 0.3 per unit, decides on both sides.
  const double per_deviation = 0.3 * 3;
  for (const double side : {-1.0, 1.0}) {
    EXPECT_NEAR(at(side * 300) - at(side * 200), side * 100 * per_deviation, 1e-9);
    EXPECT_NEAR(at(side * 1e9) - at(side * 300), side * (1e9 - 300) * per_deviation, 1e-3);
  }
}

}  // namespace
}  // namespace otss
