#include "learn/methods/gbm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/worlds/simulation.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/methods/boosting/xgboost.hpp"
#include "otss/model/model_file.hpp"
#include "unit/learn/contextual_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::chosen_by;
using test::contextual_problem;
using test::Vector;

constexpr int kColumns = 4;

TrainingRows random_rows(std::size_t num_rows) {
  Rng rng(3);
  TrainingRows rows{.num_rows = num_rows, .num_columns = kColumns};
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (int c = 0; c < kColumns; ++c) {
      // The last column has few values, as an encoded level has.
      rows.features.push_back(c == kColumns - 1 ? static_cast<float>(rng.below(3)) / 3
                                                : static_cast<float>(rng.normal()));
    }
    const float* row = &rows.features[i * kColumns];
    const double eta = 2 * row[0] * row[1] + row[kColumns - 1];
    rows.outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1.0F : 0.0F);
    rows.weights.push_back(static_cast<float>(rng.uniform(0.5, 2)));
  }
  return rows;
}

const std::vector<Tree>& trees_of(const StandardisedModel& model) {
  return std::get<std::shared_ptr<const TreeScorer>>(model.scorer)->trees();
}

double score(const TreeScorer& scorer, const float* row) {
  const Vector both(row, row + kColumns);
  return scorer.score(std::span(both).first(2), std::span(both).subspan(2));
}

TEST(Boosting, ScoresAsXgboostItselfPredicts) {
  const TrainingRows rows = random_rows(1500);
  const Reference reference = boost_with_predictions(rows, {.depth = 4, .rounds = 60});
  const TreeScorer scorer(2, 2, reference.boosted.trees);
  ASSERT_EQ(scorer.trees().size(), 60u);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const double ours =
        reference.boosted.intercept + score(scorer, &rows.features[i * rows.num_columns]);
    EXPECT_NEAR(ours, reference.predictions[i], 2e-6) << "row " << i;
  }
}

TEST(Boosting, TakesTheSameBranchesWhenAFeatureIsRoundedOtherwise) {
  const TrainingRows rows = random_rows(1500);
  const TreeScorer scorer(2, 2, boost(rows, {.depth = 4, .rounds = 60}).trees);
  for (const float towards : {-INFINITY, INFINITY}) {
    TrainingRows moved = rows;
    for (float& feature : moved.features) feature = std::nextafterf(feature, towards);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      ASSERT_EQ(score(scorer, &rows.features[i * kColumns]),
                score(scorer, &moved.features[i * kColumns]));
    }
  }
}

TEST(Boosting, StartsFromTheWeightedMeanOutcome) {
  const TrainingRows rows = random_rows(200);
  double ones = 0;
  double total = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    ones += rows.weights[i] * rows.outcomes[i];
    total += rows.weights[i];
  }
  EXPECT_NEAR(boost(rows, {.rounds = 1}).intercept, std::log(ones / (total - ones)), 1e-9);
}

// Weights say nothing here: what matters is the product of two factors.
Problem product_problem() {
  Problem problem = contextual_problem({.num_rows = 2000, .num_factors = 3}, [](const Vector&) {
    return Vector{0, 0, 0};
  });
  Rng rng(8);
  std::vector<float> outcomes;
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    const double eta = 3 * problem.features->at(i, 3) * problem.features->at(i, 4);
    outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1.0F : 0.0F);
  }
  problem.rows = SignedWeights(outcomes);
  return problem;
}

TEST(Gbm, FindsWhatNoWeightsCanExpress) {
  const Choice choice = chosen_by(*make_gbm({}), product_problem());
  EXPECT_LT(choice.losses[choice.chosen], 0.55);  // the best weights have log 2, about 0.69
}

TEST(Gbm, GivesTheSameModelForAnyNumberOfThreads) {
  const Problem problem = product_problem();
  const Choice one = chosen_by(*make_gbm({}), problem, 1);
  const Choice two = chosen_by(*make_gbm({}), problem, 2);
  EXPECT_EQ(one.losses, two.losses);
  EXPECT_EQ(trees_of(one.model), trees_of(two.model));
}

TEST(Gbm, DoesNotLookAtRowsOfWeightZero) {
  const Problem problem = product_problem();
  const auto even = [](std::size_t i) { return i % 2 == 0; };
  const Problem half = problem.restricted_to(even);
  const Problem copied = subsample(half, half.num_rows());
  const auto trees = [](const Problem& rows) {
    const PooledFit pooled = fit_pooled(rows, 1);
    const StandardisedModel model = make_gbm({})->fit_one({rows, rows, pooled}, 0, {});
    return trees_of(model);
  };
  EXPECT_EQ(copied.num_rows(), 1000u);
  EXPECT_EQ(trees(half), trees(copied));
}

TEST(Gbm, WorksWithoutContexts) {
  const Problem problem = contextual_problem({.num_contexts = 0}, [](const Vector&) {
    return Vector{0.8, -0.5};
  });
  for (const double eta : predictors(problem, chosen_by(*make_gbm({}), problem).model, 1))
    ASSERT_TRUE(std::isfinite(eta));
}

TEST(Gbm, ScoresInTheLogsUnitsAndSurvivesTheModelFileToTheBit) {
  const Simulation s = simulate_overlap({.n = 1000, .seed = 51});
  const LoggedData log = training_log(s);
  const Problem problem = whole_problem(log);
  const StandardisedModel model = chosen_by(*make_gbm({}), problem).model;
  const Fitted fitted =
      assemble(log, whole_problem(log), model, Method::kGbm, Estimator::kMap, FitReport{});
  const Fitted loaded = model_from_text(model_to_text(fitted), "m.json");
  const Vector eta = predictors(problem, model, 1);
  Vector x(s.num_contexts);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    for (int j = 0; j < s.num_contexts; ++j) x[j] = log.features().at(i, j);
    const auto z = s.library.factors_of(s.train.decisions[i]);
    ASSERT_EQ(fitted.predictor(x, z), eta[i]) << "row " << i;
    ASSERT_EQ(loaded.predictor(x, z), eta[i]) << "row " << i;
  }
  EXPECT_FALSE(loaded.has_weights());
}

}  // namespace
}  // namespace otss
