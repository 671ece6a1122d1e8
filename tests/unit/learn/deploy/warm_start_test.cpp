#include "learn/deploy/warm_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "engine/linear_predictors.hpp"
#include "lab/worlds/simulation.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"

namespace otss {
namespace {

using namespace internal;

Fitted with_experts_reversed(const Fitted& fitted) {
  Json document = Json::parse(model_to_text(fitted));
  for (Json* part : {&document["experts"], &document["gate"]["slopes"],
                     &document["gate"]["intercepts"], &document["baseline"]["expert_intercepts"]})
    std::reverse(part->begin(), part->end());
  document.erase("checksum");
  document["checksum"] = sha256_hex(document.dump());
  return model_from_text(document.dump(), "reversed");
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// Two logs of one world have other centres and scales; the model must say the same of each row.
TEST(WarmStart, IsTheModelInTheNewLogsUnits) {
  const Simulation world = simulate_overlap({.n = 800, .seed = 41});
  const Fitted model =
      fit(training_log(world), {.estimator = Estimator::kMap, .experts = 2, .threads = 1});
  const LoggedData other = training_log(simulate_overlap({.n = 300, .seed = 42}));
  const WarmStart start = warm_start(model, other.encoder());
  std::vector<double> eta(other.num_rows());
  linear_predictors(other.features(), start.layout, start.theta, 1, eta);

  std::vector<double> x(other.num_contexts());
  std::vector<double> z(other.num_factors());
  for (std::size_t i = 0; i < other.num_rows(); ++i) {
    for (int j = 0; j < other.num_contexts(); ++j) {
      const ContextColumn& now = other.encoder().contexts[j];
      const ContextColumn& then = model.encoder().contexts[j];
      x[j] = (now.center + now.scale * other.features().at(i, j) - then.center) / then.scale;
    }
    for (int j = 0; j < other.num_factors(); ++j) {
      const FactorColumn& factor = other.encoder().factors[j];
      z[j] = factor.center + factor.scale * other.features().at(i, other.num_contexts() + j);
    }
    EXPECT_NEAR(eta[i], model.predictor(x, z), 1e-5);
  }
}

TEST(WarmStart, KeepsTheExpertsLabels) {
  // Three experts that are all in use: one that no context needs may be anything.
  const LoggedData log = training_log(simulate_experts({.n = 3000, .experts = 3, .seed = 3}));
  const Fitted first = fit(log, {.experts = 3, .threads = 1});
  const auto reversed = std::make_shared<const Fitted>(with_experts_reversed(first));
  const Fitted next = fit(log, {.threads = 1, .init = reversed});
  ASSERT_EQ(next.mixture()->num_experts(), 3);
  for (int k = 0; k < 3; ++k) {
    const double own = distance(reversed->mixture()->expert(k), next.mixture()->expert(k));
    for (int other = 0; other < 3; ++other)
      EXPECT_LE(own, distance(reversed->mixture()->expert(k), next.mixture()->expert(other)));
  }
}

}  // namespace
}  // namespace otss
