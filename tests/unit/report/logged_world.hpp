// A model with two experts, and a log whose outcomes follow it: what the tests of the report share.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "model/fitted_parts.hpp"
#include "model/maps/soft_mixture.hpp"
#include "model/uncertainty/normal_uncertainty.hpp"
#include "otss/data/feasible_set.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {

// The contexts are a number with missing values and a text. The weights of "price" and "speed" are
// known up to a normal law.
inline Fitted two_experts(FitReport report = {}) {
  Fitted::Parts parts;
  parts.method = Method::kOtss;
  parts.estimator = Estimator::kMap;
  parts.family = OutputFamily::kBernoulli;
  parts.encoder.contexts = {
      {.name = "age", .center = 40, .scale = 10, .has_missing = true, .missing_frequency = 0.1},
      {.name = "region",
       .kind = ColumnKind::kText,
       .levels = {"north", "south"},
       .level_frequencies = {0.5, 0.5}}};
  parts.encoder.factors = {{.name = "price", .center = 1, .scale = 2}, {.name = "speed"}};
  parts.roles = {.contexts = {"age", "region"}, .factors = {"price", "speed"}, .outcome = "y"};
  parts.roles.group = "person";
  const auto map = std::make_shared<internal::SoftMixture>(
      internal::LinearGate(4, std::vector<double>{1, 0.2, 0.3, 0, -1, 0, 0, 0.3},
                           std::vector<double>{0.1, 0}),
      2, std::vector<double>{-1, 0.5, 0.3, 1.2});
  parts.scorer = map;
  parts.baseline = {
      .intercept = 0.2, .slopes = {0.1, 0, -0.2, 0.2}, .expert_intercepts = {0.1, -0.1}};
  const internal::MixtureSize size{4, 2, 2};
  internal::Rng rng(5);
  std::vector<double> factor;
  for (std::size_t i = 0; i < size.size() * 3; ++i) factor.push_back(0.1 * rng.normal());
  parts.uncertainty = std::make_shared<internal::NormalUncertainty>(
      map, internal::NormalUncertainty::Factor{std::move(factor), 3});
  parts.report = std::move(report);
  return Fitted(std::move(parts));
}

inline FeasibleSet four_offers() {
  return FeasibleSet::of_library({"cheap", "fast", "both", "bad"}, 2, {-1, 0, 1, 2, 0, 1, 3, -2},
                                 "offers.csv");
}

// A log of decisions that were drawn from the four offers with equal probability.
inline std::string logged_rows(std::size_t rows, std::uint64_t seed = 1) {
  const Fitted model = two_experts();
  const FeasibleSet offers = four_offers();
  internal::Rng rng(seed);
  std::string text = "person,age,region,price,speed,offer,p,y\n";
  std::vector<double> x(model.num_contexts());
  for (std::size_t i = 0; i < rows; ++i) {
    const bool missing = rng.uniform() < 0.1;
    const double age = 20 + static_cast<double>(rng.below(50));
    const char* region = rng.uniform() < 0.5 ? "north" : "south";
    const std::size_t offer = rng.below(4);
    const auto z = offers.factors_of(offer);
    model.encode(
        {{"age", missing ? std::numeric_limits<double>::quiet_NaN() : age}, {"region", region}}, x);
    const int y = rng.uniform() < model.mean(x, z) ? 1 : 0;
    text +=
        fmt::format("p{},{},{},{},{},{},0.25,{}\n", i / 3, missing ? "" : fmt::format("{}", age),
                    region, z[0], z[1], offers.id(offer), y);
  }
  return text;
}

}  // namespace otss
