#include "lab/journey/journey.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "lab/journey/bundles.hpp"
#include "lab/studies/catalogue.hpp"
#include "lab/worlds/oracle_gate.hpp"
#include "lab/worlds/truth.hpp"
#include "unit/lab/journey/journey_panel.hpp"

namespace otss {
namespace {

using namespace internal;

class Journey : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Panel panel;
    data_ = new JourneyData(load_journey(panel.path(), kPanelSizes));
  }
  static void TearDownTestSuite() { delete data_; }

  static JourneyData* data_;
};

JourneyData* Journey::data_ = nullptr;

// Largest departure of a column's mean from 0 and of its sd from 1.
double departure(std::span<const double> matrix, std::size_t width) {
  double worst = 0;
  const double n = static_cast<double>(matrix.size() / width);
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 0, squares = 0;
    for (std::size_t i = j; i < matrix.size(); i += width) {
      sum += matrix[i];
      squares += matrix[i] * matrix[i];
    }
    if (squares == 0) continue;  // constant in the panel
    const double sd = std::sqrt(squares / n - (sum / n) * (sum / n));
    worst = std::max({worst, std::abs(sum / n), std::abs(sd - 1)});
  }
  return worst;
}

TEST_F(Journey, HasFiftyFourColumnsAndTenFactorsStandardisedOnTheTrainingRows) {
  EXPECT_EQ(data_->context_names.size(), 54U);
  EXPECT_EQ(data_->factor_names.size(), 10U);
  EXPECT_EQ(data_->train.contexts.size(), 200U * 54U);
  EXPECT_EQ(data_->test.decisions.factors().size(), 100U * 10U * 10U);
  // Exact but for what the limit of 3 takes away: indicators seen in a few rows have long tails.
  EXPECT_LT(departure(data_->train.contexts, 54), 0.35);
  EXPECT_LT(departure(data_->train.decisions.factors(), 10), 0.15);
  for (const auto* values : {&data_->train.contexts, &data_->test.contexts})
    for (const double x : *values) EXPECT_LE(std::abs(x), 3);
  for (const double z : data_->test.decisions.factors()) EXPECT_LE(std::abs(z), 3);
}

TEST_F(Journey, GivesABundleItsOwnFactorsEverywhereAndTheOthersByContext) {
  const ContextDecisions first = data_->train.decisions.at(0);
  const ContextDecisions other = data_->train.decisions.at(150);
  ASSERT_EQ(first.size(), 10U);
  for (std::size_t d = 0; d < first.size(); ++d) {
    for (int j = 0; j < 6; ++j) EXPECT_EQ(first.factors(d)[j], other.factors(d)[j]);
    for (int j = 6; j < 9; ++j) EXPECT_NE(first.factors(d)[j], other.factors(d)[j]);
  }
}

TEST_F(Journey, IsTheSameWorldForTheSameSeedAndAnotherForAnother) {
  const Simulation a = simulate_journey(*data_, 7), b = simulate_journey(*data_, 7);
  EXPECT_EQ(a.train.outcomes, b.train.outcomes);
  EXPECT_EQ(a.test.weights, b.test.weights);
  const Simulation other = simulate_journey(*data_, 8);
  EXPECT_NE(a.test.weights, other.test.weights);
  EXPECT_EQ(a.train.contexts, other.train.contexts);
  EXPECT_EQ(a.train.own_decisions.factors().data(), other.train.own_decisions.factors().data());
}

TEST_F(Journey, LogsByHabit) {
  const Simulation s = simulate_journey(*data_, 7);
  constexpr int kHabit = 6;
  ASSERT_EQ(s.factor_names()[kHabit], "habit");
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    double total = 0;
    const ContextDecisions open = s.decisions(s.train).at(i);
    for (std::size_t d = 0; d < open.size(); ++d) total += std::exp(open.factors(d)[kHabit]);
    EXPECT_NEAR(s.train.propensities[i], std::exp(s.logged_factors(s.train, i)[kHabit]) / total,
                1e-12);
  }
}

TEST_F(Journey, MixesItsTwoExpertsByTheTrueShares) {
  const Simulation s = simulate_journey(*data_, 7);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const double share = s.test.shares[2 * i];
    for (int j = 0; j < s.num_factors; ++j) {
      EXPECT_NEAR(s.test.weights[i * s.num_factors + j],
                  share * s.experts[j] + (1 - share) * s.experts[s.num_factors + j], 1e-12);
    }
  }
}

TEST_F(Journey, MakesALogOfNamedColumnsGroupedByHousehold) {
  const LoggedData log = training_log(simulate_journey(*data_, 7));
  EXPECT_EQ(log.num_rows(), 200U);
  EXPECT_EQ(log.roles().contexts.front(), "age");
  EXPECT_EQ(log.roles().factors.back(), "novel");
  const std::set<double> households(data_->train.households.begin(), data_->train.households.end());
  EXPECT_EQ(log.num_groups(), households.size());
}

TEST_F(Journey, HasNoRegretUnderItsTrueWeights) {
  const Simulation s = simulate_journey(*data_, 7);
  const TruthScore score = score_test_weights(s, s.test.weights);
  EXPECT_EQ(score.regret, 0);
  EXPECT_EQ(score.match_rate, 1);
  EXPECT_EQ(score.weight_mse, 0);
}

TEST_F(Journey, IsAStudyWithEveryMethod) {
  const Study study =
      journey_study(std::make_shared<const std::vector<JourneyData>>(1, *data_), true);
  std::set<std::string> methods;
  for (const MethodResult& result : study.settings.front().run(3)) {
    methods.insert(result.method);
    EXPECT_GE(result.measured.regret, 0) << result.method;
  }
  for (const char* name : {"pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard", "gbm",
                           "otss-paper", "otss", kOracleGate})
    EXPECT_TRUE(methods.contains(name)) << name;
}

// Bundles whose first factor is given; the others are the same for all.
std::vector<Bundle> bundles_at(std::initializer_list<double> places) {
  std::vector<Bundle> bundles;
  for (const double place : places) {
    Bundle bundle;
    bundle.name = std::to_string(place);
    bundle.factors[0] = place;
    bundles.push_back(bundle);
  }
  return bundles;
}

TEST_F(Journey, LogsMoreByHabitIfTheLoggingPolicyIsStronger) {
  const auto mean_habit = [](double strength) {
    const Simulation s = simulate_journey(*data_, 7, {.logging = strength});
    const std::size_t habit =
        std::ranges::find(s.own_factor_names, "habit") - s.own_factor_names.begin();
    double sum = 0;
    for (std::size_t i = 0; i < s.train.num_rows; ++i) sum += s.logged_factors(s.train, i)[habit];
    return sum / static_cast<double>(s.train.num_rows);
  };
  EXPECT_LT(mean_habit(0), mean_habit(1));
  EXPECT_LT(mean_habit(1), mean_habit(4));
  const Simulation uniform = simulate_journey(*data_, 7, {.logging = 0});
  EXPECT_NEAR(uniform.train.propensities.front(), 1.0 / 10, 1e-12);
}

TEST_F(Journey, HasSharperSharesIfTauIsLarger) {
  const auto mean_top = [](double tau) {
    const Simulation s = simulate_journey(*data_, 7, {.tau = tau});
    double sum = 0;
    for (std::size_t i = 0; i < s.test.num_rows; ++i)
      sum += std::max(s.test.shares[2 * i], s.test.shares[2 * i + 1]);
    return sum / static_cast<double>(s.test.num_rows);
  };
  EXPECT_LT(mean_top(0.3), mean_top(1.2));
  EXPECT_LT(mean_top(1.2), mean_top(4.8));
}

TEST_F(Journey, DrawsABankForEachSeedWithTheNormsOfTheGivenOne) {
  const auto norm = [](const Simulation& s, int k) {
    const auto expert = s.experts.begin() + k * s.num_factors;
    return std::sqrt(std::inner_product(expert, expert + s.num_factors, expert, 0.0));
  };
  const Simulation given = simulate_journey(*data_, 7);
  const Simulation drawn = simulate_journey(*data_, 7, {.bank = JourneyBank::kDrawn});
  const Simulation other = simulate_journey(*data_, 8, {.bank = JourneyBank::kDrawn});
  EXPECT_NE(drawn.experts, given.experts);
  EXPECT_NE(drawn.experts, other.experts);
  for (const int k : {0, 1}) EXPECT_NEAR(norm(drawn, k), norm(given, k), 1e-12);
  EXPECT_EQ(drawn.test.shares, given.test.shares);
}

TEST(JourneyLibraries, DifferInTheirBundles) {
  const Panel panel;
  const auto libraries = load_journey_libraries(panel.path(), 3, kPanelSizes);
  ASSERT_EQ(libraries.size(), 3u);
  EXPECT_EQ(libraries[0].library, load_journey(panel.path(), kPanelSizes).library);
  EXPECT_NE(libraries[1].library, libraries[0].library);
  EXPECT_NE(libraries[1].library, libraries[2].library);
  for (const JourneyData& data : libraries) EXPECT_EQ(data.library.size(), kPanelSizes.library);
}

TEST(SpreadBundles, StartsInTheMiddleAndGoesWhereNobodyIs) {
  const auto spread = spread_bundles(bundles_at({0, 1, 4.5, 5, 6, 10}), 5);
  std::vector<double> places;
  for (const Bundle& bundle : spread) places.push_back(bundle.factors[0]);
  EXPECT_THAT(places, testing::ElementsAre(4.5, 10, 0, 6, 1));
}

TEST(SpreadBundles, TakesTwinsOnlyWhenNothingElseIsLeft) {
  const auto spread = spread_bundles(bundles_at({1, 1, 2}), 3);
  EXPECT_EQ(spread.size(), 3U);
  EXPECT_NE(spread[0].factors[0], spread[1].factors[0]);
}

// The whole derivation on the published tables, where they are there.
class PublishedJourney : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::getenv("OTSS_JOURNEY_DATA");
    if (folder_ == nullptr) GTEST_SKIP() << "OTSS_JOURNEY_DATA names no folder";
  }
  const char* folder_ = nullptr;
};

TEST_F(PublishedJourney, HasTheCountsOfItsDerivation) {
  const JourneyData data = load_journey(folder_);
  const JourneyCounts& counts = data.counts;
  EXPECT_EQ(counts.transactions, 100'000U);
  EXPECT_EQ(counts.with_product, 99'684U);
  EXPECT_EQ(counts.sold, 99'273U);
  EXPECT_EQ(counts.lines, 97'975U);
  EXPECT_EQ(counts.sold_breakfast, 21'981U);
  EXPECT_EQ(counts.contexts, 25'663U);
  EXPECT_EQ(counts.households, 1'598U);
  EXPECT_EQ(counts.described_contexts, 15'815U);
  EXPECT_EQ(counts.described_households, 757U);
  EXPECT_EQ(counts.bundle_weeks, 540U);
  EXPECT_EQ(counts.bundles, 504U);
  EXPECT_EQ(data.train.num_rows(), 5'000U);
  EXPECT_EQ(data.test.num_rows(), 3'000U);
  EXPECT_EQ(data.library.size(), 100U);

  // With the gate known, 5,000 rows leave little to lose; without heterogeneity there is much.
  const Simulation s = simulate_journey(data, 7000);
  EXPECT_LT(score_test_weights(s, oracle_gate_weights(s)).regret, 0.08);
  std::vector<double> mean(s.test.weights.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const auto j = i % s.num_factors;
    mean[i] = (s.experts[j] + s.experts[s.num_factors + j]) / 2;
  }
  EXPECT_GT(score_test_weights(s, mean).regret, 0.15);
}

}  // namespace
}  // namespace otss
