// The sections of a report that tell what the model says, on a log of the two experts' world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/fitted_parts.hpp"
#include "report/log/log_pass.hpp"
#include "report/sections/column_facts.hpp"
#include "report/sections/distribution_facts.hpp"
#include "report/sections/factor_facts.hpp"
#include "report/sections/mean_weights.hpp"
#include "report/sections/membership_facts.hpp"
#include "report/sections/movement_facts.hpp"
#include "report/sections/segment_facts.hpp"
#include "report/sections/varied_contexts.hpp"
#include "report/sections/what_if_facts.hpp"
#include "unit/report/logged_world.hpp"

namespace otss::internal {
namespace {

using ::testing::SizeIs;

class Sections : public ::testing::Test {
 protected:
  Sections() {
    const std::string path = folder_.write("log.csv", logged_rows(400));
    pass_ = pass_over_log(model_, {.table = {.path = path}, .feasible = &offers_});
    input_.log = &pass_.summary;
    input_.contexts = pass_.summary.sample;
    input_.feasible = &offers_;
  }

  const Fitted model_ = two_experts();
  const FeasibleSet offers_ = four_offers();
  Folder folder_;
  LogPass pass_;
  ReportInput input_{.fitted = model_};
};

TEST_F(Sections, FactorsAreComparableOverTheLibrary) {
  const std::vector<FactorFacts> facts = factor_facts(input_);
  // The prices of the offers are -1, 1, 0 and 3; the speeds 0, 2, 1 and -2.
  EXPECT_DOUBLE_EQ(facts[0].sd, std::sqrt(2.1875));
  EXPECT_DOUBLE_EQ(facts[1].sd, std::sqrt(2.1875));
  EXPECT_EQ(facts[0].sd_over, SpreadOver::kLibrary);
  input_.feasible = nullptr;
  EXPECT_DOUBLE_EQ(factor_facts(input_)[0].sd, 2) << "the standard deviation in training";
}

TEST_F(Sections, CandidatesAreComparedWithinTheirContexts) {
  const std::vector<std::string> contexts = {"a", "a", "b", "b"};
  const FeasibleSet candidates =
      FeasibleSet::of_candidates(contexts, {"1", "2", "1", "2"}, 2, {0, 5, 2, 5, 100, 5, 102, 5});
  input_.feasible = &candidates;
  const std::vector<FactorFacts> facts = factor_facts(input_);
  EXPECT_DOUBLE_EQ(facts[0].sd, 1);
  EXPECT_DOUBLE_EQ(facts[1].sd, 0);
  EXPECT_EQ(facts[0].sd_over, SpreadOver::kCandidates);
}

TEST_F(Sections, SegmentsHaveTheMeanWeightsOfTheirMembers) {
  const SegmentsFacts facts = segment_facts(input_);
  ASSERT_THAT(facts.list, SizeIs(2));
  EXPECT_GE(facts.list[0].share, facts.list[1].share);
  EXPECT_NEAR(facts.list[0].share + facts.list[1].share, 1, 1e-12);
  std::vector<double> average(2, 0.0);
  for (const SegmentFacts& segment : facts.list) {
    for (std::size_t j = 0; j < 2; ++j) {
      average[j] += segment.members * segment.weights[j].value;
      EXPECT_LT(segment.weights[j].lo, segment.weights[j].value);
      EXPECT_GT(segment.weights[j].hi, segment.weights[j].value);
    }
  }
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(average[j], facts.average[j].value, 1e-12);
}

TEST_F(Sections, WithoutALogSegmentsAreThoseOfTheFit) {
  FitReport report;
  report.diagnostics.emplace();
  report.diagnostics->segments = {
      {.share = 0.4, .members = 0.3, .weights = {1, 2}, .contrasts = {}},
      {.share = 0.6, .members = 0.7, .weights = {3, 4}, .contrasts = {}}};
  const Fitted model = two_experts(report);
  const ReportInput input{.fitted = model, .contexts = typical_sample(model.encoder())};
  const SegmentsFacts facts = segment_facts(input);
  EXPECT_EQ(facts.source, FactSource::kTraining);
  EXPECT_EQ(facts.list[0].expert, 1) << "the larger share comes first";
  EXPECT_EQ(facts.list[0].weights[1].value, 4);
  EXPECT_LT(facts.list[0].weights[1].lo, 4);
  EXPECT_DOUBLE_EQ(facts.average[0].value, 0.3 * 1 + 0.7 * 3);
}

TEST_F(Sections, EffectsAreMeanChangesOfShares) {
  const SegmentsFacts segments = segment_facts(input_);
  const MembershipFacts facts =
      membership_facts(input_, segments, std::vector<double>{1, 1}).value();
  const VariedContexts contexts(model_.encoder(), input_.contexts, 1000);
  const auto difference = [&](const std::vector<double>& after, const std::vector<double>& before,
                              int expert) {
    return mean_shares(model_, after)[expert] - mean_shares(model_, before)[expert];
  };
  ASSERT_THAT(facts.segments, SizeIs(2));
  for (const SegmentMembershipFacts& segment : facts.segments) {
    EXPECT_THAT(segment.effects, SizeIs(4)) << "age, age is missing, north and south";
    for (const EffectFacts& effect : segment.effects) {
      const std::vector<double> now = contexts.as_they_are();
      const double expected =
          effect.value.missing ? difference(contexts.with(0, kNotKnown), now, segment.expert)
          : effect.value.level
              ? difference(contexts.with(1, *effect.value.level == 0 ? "north" : "south"), now,
                           segment.expert)
              : difference(contexts.shifted(0, 5), contexts.shifted(0, -5), segment.expert);
      EXPECT_NEAR(effect.change.value, expected, 1e-12);
      EXPECT_LT(effect.change.lo, effect.change.value);
      EXPECT_GT(effect.change.hi, effect.change.value);
    }
  }
  // What one expert gains, the other loses.
  EXPECT_NEAR(facts.segments[0].effects[0].change.value, -facts.segments[1].effects[0].change.value,
              1e-12);
}

TEST_F(Sections, ContrastsAndHistogramsCompareMembersWithEverybody) {
  const SegmentsFacts segments = segment_facts(input_);
  const MembershipFacts facts =
      membership_facts(input_, segments, std::vector<double>{1, 1}).value();
  ASSERT_FALSE(facts.distributions.empty());
  for (const DistributionFacts& one : facts.distributions) {
    const auto total = [](const std::vector<double>& shares) {
      return std::accumulate(shares.begin(), shares.end(), 0.0);
    };
    EXPECT_NEAR(total(one.everybody) + one.everybody_missing, 1, 1e-12);
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_NEAR(total(one.members[s]) + one.members_missing[s], 1, 1e-12);
    if (one.column == 0) {
      EXPECT_THAT(one.edges, SizeIs(one.everybody.size() + 1));
      EXPECT_TRUE(std::ranges::is_sorted(one.edges));
    }
  }
  const ContrastFacts& leading = facts.segments[0].contrasts.front();
  EXPECT_EQ(leading.value.column, 0U) << "the gate depends most on the age";
}

TEST_F(Sections, CurvesAreMeansOverContextsWithOneColumnChanged) {
  const SegmentsFacts segments = segment_facts(input_);
  const std::vector<FactorFacts> factors = factor_facts(input_);
  const MovementsFacts facts = movement_facts(input_, factors, segments).value();
  ASSERT_THAT(facts.columns, SizeIs(2));
  EXPECT_EQ(facts.columns[0].column, 0U) << "the strongest first";
  const VariedContexts contexts(model_.encoder(), input_.contexts, 500);
  for (const MovementFacts& one : facts.columns) {
    for (std::size_t i = 0; i < one.weights[0].size(); ++i) {
      const std::vector<double> x = one.column == 0
                                        ? contexts.with(0, one.at[i])
                                        : contexts.with(1, one.levels[i] == 0 ? "north" : "south");
      EXPECT_NEAR(one.weights[0][i], mean_weights(model_, x)[0], 1e-12);
      EXPECT_LT(one.lo[0][i], one.weights[0][i]);
      EXPECT_GT(one.hi[0][i], one.weights[0][i]);
      EXPECT_NEAR(one.shares[0][i] + one.shares[1][i], 1, 1e-12);
    }
  }
  EXPECT_EQ(facts.strongest.front().column, 0U);
  EXPECT_GE(facts.strongest.front().strength, facts.strongest.back().strength);
}

TEST_F(Sections, TheSameWithAnyNumberOfThreads) {
  const SegmentsFacts segments = segment_facts(input_);
  const std::vector<FactorFacts> factors = factor_facts(input_);
  input_.threads = 1;
  const MovementsFacts one = movement_facts(input_, factors, segments).value();
  const MembershipFacts alone = membership_facts(input_, segments, sds_of(factors)).value();
  input_.threads = 3;
  const MovementsFacts three = movement_facts(input_, factors, segments).value();
  const MembershipFacts together = membership_facts(input_, segments, sds_of(factors)).value();
  EXPECT_EQ(one.columns[0].lo, three.columns[0].lo);
  EXPECT_EQ(alone.segments[0].effects[0].change.lo, together.segments[0].effects[0].change.lo);
}

TEST_F(Sections, ALongLibraryKeepsTheDecisionsThatWin) {
  std::vector<std::string> ids;
  std::vector<double> factors;
  for (int i = 0; i < 3000; ++i) {
    // Only the last decisions are good: all others cost more and are slower.
    const bool good = i >= 2990;
    ids.push_back(std::to_string(i));
    factors.insert(factors.end(), {good ? -1.0 - 0.01 * i : 5.0, good ? 0.01 * i : -5.0});
  }
  const FeasibleSet library = FeasibleSet::of_library(ids, 2, factors);
  input_.feasible = &library;
  const WhatIfFacts facts = what_if_facts(input_);
  EXPECT_EQ(facts.library->total, 3000U);
  EXPECT_THAT(facts.library->ids, SizeIs(1000));
  EXPECT_EQ(facts.library->ids.back(), "2999");
}

}  // namespace
}  // namespace otss::internal
