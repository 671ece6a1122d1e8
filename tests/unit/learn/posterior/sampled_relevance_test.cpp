#include "learn/posterior/sampled_relevance.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "learn/mixture/relevance.hpp"
#include "learn/posterior/posterior.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(SampledRelevance, SetsEachColumnsMostLikelyStrengthAfterAWindowOfPositions) {
  const MixtureLayout layout{2, 1, 2};
  std::vector<double> theta(layout.size(), 0.0);
  theta[layout.gate(0)] = 0.8;  // |G_1 - mean|^2 summed over two experts: 0.8^2 / 2
  SampledRelevance relevance(layout);
  LearnedPenalty prior = LearnedPenalty::standard(layout);
  for (int i = 0; i < 19; ++i) relevance.see(theta, prior);
  EXPECT_TRUE(prior.gate_columns.empty());
  relevance.see(theta, prior);
  ASSERT_EQ(prior.gate_columns.size(), 2u);
  const auto mean = [](const GammaLaw& law) { return law.shape / law.rate; };
  EXPECT_NEAR(mean(prior.gate_columns[0]), column_strength(2, 0.32), 1e-9);
  EXPECT_NEAR(mean(prior.gate_columns[1]), column_strength(2, 0), 1e-3);
}

TEST(SamplePosterior, BelievingInFewColumnsSilencesTheOthers) {
  // The gate of this world uses the first five of ten columns.
  const LoggedData log = training_log(simulate_overlap({.n = 3000, .seed = 62}));
  const Problem problem = whole_problem(log);
  const PooledFit pooled = fit_pooled(problem, 1);
  const auto nuisance = [&](GateColumns columns) {
    const Posterior posterior =
        sample_posterior(problem, pooled, 2, {.gate_columns = columns, .num_threads = 2});
    double sum = 0;
    for (const auto& theta : posterior.draws) {
      const auto squares = LearnedPenalty::gate_squares(posterior.layout, theta);
      for (int j = 5; j < 10; ++j) sum += squares[j] / static_cast<double>(posterior.draws.size());
    }
    return sum;
  };
  EXPECT_LT(nuisance(GateColumns::kFew), 0.4 * nuisance(GateColumns::kAll));
}

}  // namespace
}  // namespace otss
