#include "report/log/log_pass.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "report/log/decision_facts.hpp"
#include "report/trust/trust_facts.hpp"
#include "unit/report/logged_world.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

class PassOverLog : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 3000;

  LogQuestion question() const { return {.table = {.path = path_}, .feasible = &offers_}; }
  LogQuestion policy_question() const {
    LogQuestion result = question();
    result.decision = "offer";
    result.propensity = "p";
    return result;
  }

  Folder folder_;
  std::string path_ = folder_.write("log.csv", logged_rows(kRows));
  FeasibleSet offers_ = four_offers();
  Fitted model_ = two_experts();
};

void expect_same(const Estimate& found, double value, const Bounds& bounds) {
  EXPECT_EQ(found.value, value);
  EXPECT_EQ(found.lo, bounds.lo);
  EXPECT_EQ(found.hi, bounds.hi);
}

TEST_F(PassOverLog, FindsTheQualityThatEvaluateFinds) {
  const Evaluation expected = evaluate(model_, {.path = path_}, {.level = kReportLevel});
  const LogPass pass = pass_over_log(model_, question());
  const QualityFacts found = trust_facts(model_, &pass).on_log.value();
  EXPECT_EQ(found.rows, kRows);
  expect_same(found.log_loss, expected.quality->log_loss, expected.quality_intervals->log_loss);
  expect_same(found.squared_error, expected.quality->squared_error,
              expected.quality_intervals->squared_error);
  expect_same(found.auc, expected.quality->auc, expected.quality_intervals->auc);
  expect_same(found.calibration_slope, expected.quality->calibration_slope,
              expected.quality_intervals->calibration_slope);
  EXPECT_EQ(pass.gate->usage, expected.gate->usage);
  EXPECT_EQ(pass.gate->effective_experts, expected.gate->effective_experts);
  EXPECT_EQ(pass.group, "person");
}

TEST_F(PassOverLog, FindsTheValueOfThePolicyThatEvaluateFinds) {
  const PolicyQuestion asked{.columns = {.decision = "offer", .propensity = "p"},
                             .level = kReportLevel};
  const Evaluation evaluation =
      evaluate(model_, {.path = path_}, {.policy = asked, .feasible = &offers_});
  const PolicyValue& expected = evaluation.policy->value;
  const LogPass pass = pass_over_log(model_, policy_question());
  const PolicyValue& found = pass.policy->value;
  for (const auto estimate : {&PolicyValue::ips, &PolicyValue::snips, &PolicyValue::direct,
                              &PolicyValue::doubly_robust, &PolicyValue::gain}) {
    EXPECT_EQ((found.*estimate).value, (expected.*estimate).value);
    EXPECT_EQ((found.*estimate).lo, (expected.*estimate).lo);
    EXPECT_EQ((found.*estimate).hi, (expected.*estimate).hi);
  }
  EXPECT_EQ(found.never_logged, expected.never_logged);
  EXPECT_EQ(pass.policy->warnings, evaluation.policy->warnings);
}

TEST_F(PassOverLog, CountsTheDecisionsThatDecideMakes) {
  const LogPass pass = pass_over_log(model_, policy_question());
  const ContextSample& sample = pass.summary.sample;
  ASSERT_EQ(sample.num_rows, kRows);
  std::vector<std::size_t> chosen(4, 0);
  for (const Decision& one : decide(model_.scorer(), {kRows, sample.x}, offers_))
    ++chosen[one.index];
  EXPECT_EQ(pass.decisions->chosen, chosen);
  const std::size_t logged =
      std::accumulate(pass.decisions->logged.begin(), pass.decisions->logged.end(), std::size_t{0});
  EXPECT_EQ(logged, kRows);
  EXPECT_DOUBLE_EQ(static_cast<double>(pass.decisions->agreements) / kRows,
                   pass.policy->value.agreement);
}

TEST_F(PassOverLog, FindsLoggedDecisionsByTheirFactorsToo) {
  const LogPass by_id = pass_over_log(model_, policy_question());
  const LogPass by_factors = pass_over_log(model_, question());
  EXPECT_EQ(by_factors.decisions->logged, by_id.decisions->logged);
  EXPECT_EQ(by_factors.decisions->agreements, by_id.decisions->agreements);
  const FeasibleSet others = FeasibleSet::of_library({"a", "b"}, 2, {7, 7, 8, 8});
  const LogPass unknown = pass_over_log(model_, {.table = {.path = path_}, .feasible = &others});
  EXPECT_TRUE(unknown.decisions->logged.empty());
  EXPECT_TRUE(std::isnan(decision_facts(model_, unknown, &others, 1)->agreement));
}

TEST_F(PassOverLog, AveragesWeightsAndSharesOverAllRows) {
  const LogPass pass = pass_over_log(model_, question());
  const LogSummary& summary = pass.summary;
  std::vector<double> w(2 * kRows), mean(2, 0.0);
  model_.weight_map().weights(kRows, summary.sample.x, w);
  for (std::size_t i = 0; i < w.size(); ++i) mean[i % 2] += w[i] / kRows;
  EXPECT_NEAR(summary.mean_weights[0], mean[0], 1e-12);
  EXPECT_NEAR(summary.mean_weights[1], mean[1], 1e-12);
  EXPECT_NEAR(summary.segments[0].members + summary.segments[1].members, 1, 1e-12);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(summary.segments[0].members * summary.segments[0].weights[j] +
                    summary.segments[1].members * summary.segments[1].weights[j],
                mean[j], 1e-12);
  }
  EXPECT_NEAR(std::accumulate(pass.top_share.begin(), pass.top_share.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(pass.top_share[4], 0) << "the larger of two shares is at least 0.5";
}

TEST_F(PassOverLog, KeepsRawValuesBesideEncodedOnes) {
  const ContextSample sample = pass_over_log(model_, question()).summary.sample;
  for (std::size_t i = 0; i < 100; ++i) {
    const double age = sample.raw[0][i];
    EXPECT_NEAR(sample.x[i * 4], std::isnan(age) ? 0 : (age - 40) / 10, 1e-12);
    EXPECT_EQ(sample.x[i * 4 + 3], sample.raw[1][i] == 1 ? 1 : -1) << "south is level 1";
  }
}

TEST_F(PassOverLog, OfALargeLogKeepsASampleOfStatedSize) {
  LogQuestion small = policy_question();
  small.most_evaluated_rows = 800;
  small.most_context_rows = 100;
  const LogPass pass = pass_over_log(model_, small);
  EXPECT_EQ(pass.summary.rows, kRows);
  EXPECT_EQ(pass.summary.sample.num_rows, 100U);
  EXPECT_EQ(pass.summary.sample.x.size(), 400U);
  EXPECT_EQ(pass.evaluated->eta.size(), 800U);
  EXPECT_EQ(pass.evaluated->groups.size(), 800U);
  EXPECT_EQ(pass.policy->value.num_rows, 800U);
  const LogPass whole = pass_over_log(model_, policy_question());
  EXPECT_EQ(pass.decisions->chosen, whole.decisions->chosen) << "counts are of all rows";
  EXPECT_EQ(pass.summary.mean_weights, whole.summary.mean_weights);
  // The interval of the sample is about two times as wide, and the loss of all rows is inside an
  // interval of three times its width.
  const QualityFacts found = trust_facts(model_, &pass).on_log.value();
  const QualityFacts expected = trust_facts(model_, &whole).on_log.value();
  EXPECT_NEAR(found.log_loss.value, expected.log_loss.value,
              1.5 * (found.log_loss.hi - found.log_loss.lo));
  const LogPass again = pass_over_log(model_, small);
  EXPECT_EQ(again.evaluated->eta, pass.evaluated->eta);
  small.seed = 2;
  EXPECT_NE(pass_over_log(model_, small).evaluated->eta, pass.evaluated->eta);
}

TEST_F(PassOverLog, IsTheSameForAnyNumberOfThreads) {
  LogQuestion one = policy_question();
  one.threads = 1;
  one.most_context_rows = 500;
  LogQuestion two = one;
  two.threads = 2;
  const LogPass first = pass_over_log(model_, one);
  const LogPass second = pass_over_log(model_, two);
  EXPECT_EQ(first.summary.sample.x, second.summary.sample.x);
  EXPECT_EQ(first.summary.mean_weights, second.summary.mean_weights);
  EXPECT_EQ(first.evaluated->eta, second.evaluated->eta);
  EXPECT_EQ(first.decisions->chosen, second.decisions->chosen);
  EXPECT_EQ(first.policy->value.doubly_robust.lo, second.policy->value.doubly_robust.lo);
  EXPECT_EQ(decision_facts(model_, first, &offers_, 1)->expected_regret,
            decision_facts(model_, second, &offers_, 2)->expected_regret);
}

TEST_F(PassOverLog, AsksForWhatThePolicyNeeds) {
  LogQuestion asked = policy_question();
  asked.decision.clear();
  EXPECT_THAT(error_of([&] { pass_over_log(model_, asked); }), HasSubstr("--decision COL"));
  asked = policy_question();
  asked.feasible = nullptr;
  EXPECT_THAT(error_of([&] { pass_over_log(model_, asked); }), HasSubstr("--library LIB"));
}

TEST_F(PassOverLog, ChoosesAmongTheCandidatesOfEachContext) {
  const std::string text =
      "person,age,region,price,speed,who,y\na,30,north,1,2,c1,1\nb,60,south,-1,0,c2,0\n";
  const std::string path = folder_.write("two.csv", text);
  const FeasibleSet candidates = FeasibleSet::of_candidates(
      std::vector<std::string>{"c1", "c1", "c2"}, {"cheap", "fast", "cheap"}, 2,
      {-1, 0, 1, 2, -1, 0}, "cand.csv", "who");
  const LogPass pass = pass_over_log(model_, {.table = {.path = path}, .feasible = &candidates});
  EXPECT_THAT(pass.context_ids, testing::ElementsAre("c1", "c2"));
  EXPECT_EQ(pass.decisions->chosen[2], 1U);
  EXPECT_THAT(pass.decisions->logged, testing::ElementsAre(0, 1, 1));
  const DecisionsFacts facts = decision_facts(model_, pass, &candidates, 1).value();
  EXPECT_TRUE(facts.per_context);
  EXPECT_EQ(facts.distinct, 2U) << "two candidates have the same id";
  EXPECT_EQ(facts.rows_certified, 2U);
}

TEST_F(PassOverLog, RecognisesTheLogOfTheFit) {
  EXPECT_FALSE(pass_over_log(model_, question()).in_sample);
  TableReader reader({.path = path_});
  FitReport report;
  report.data = {kRows, fingerprint_table(reader, model_.roles())};
  report.diagnostics.emplace().calibration = {{50, 0.2, 0.3, 0.1}};
  const Fitted fitted = two_experts(report);
  const LogPass pass = pass_over_log(fitted, question());
  EXPECT_TRUE(pass.in_sample);
  const TrustFacts trust = trust_facts(fitted, &pass);
  EXPECT_TRUE(trust.in_sample);
  EXPECT_TRUE(trust.calibration->held_out) << "the rows of the fit would flatter the model";
  EXPECT_EQ(trust.calibration->bins.size(), 1U);
  EXPECT_THAT(trust.warnings.front(), HasSubstr("fitted on the rows of this log"));
}

TEST_F(PassOverLog, RefusesTheValueOfAPolicyOnTheLogOfTheFit) {
  TableReader reader({.path = path_});
  FitReport report;
  report.data = {kRows, fingerprint_table(reader, model_.roles())};
  LogQuestion asked = policy_question();
  EXPECT_THAT(error_of([&] { pass_over_log(two_experts(report), asked); }),
              HasSubstr("add --in-sample"));
  asked.in_sample = true;
  EXPECT_TRUE(pass_over_log(two_experts(report), asked).policy->in_sample);
}

TEST_F(PassOverLog, NeedsNoOutcomes) {
  const std::string path = folder_.write("contexts.csv", "age,region\n30,north\n,west\n");
  const LogPass pass = pass_over_log(model_, {.table = {.path = path}});
  EXPECT_EQ(pass.summary.rows, 2U);
  EXPECT_FALSE(pass.evaluated.has_value());
  EXPECT_FALSE(pass.decisions.has_value());
  EXPECT_EQ(pass.summary.unknown.unknown_levels, 1U);
  EXPECT_EQ(pass.summary.sample.raw[1][1], -1) << "a text that training did not have";
  EXPECT_FALSE(trust_facts(model_, &pass).on_log.has_value());
}

TEST_F(PassOverLog, CertifiesTheShareThatCertifyFinds) {
  const LogPass pass = pass_over_log(model_, question());
  const DecisionsFacts facts = decision_facts(model_, pass, &offers_, 2).value();
  ASSERT_EQ(facts.rows_certified, kMostCertifiedRows);
  const ContextSample& sample = pass.summary.sample;
  std::vector<double> x;
  for (std::size_t i = 0; i < kMostCertifiedRows; ++i) {
    const std::size_t row = i * kRows / kMostCertifiedRows;
    x.insert(x.end(), sample.x.begin() + row * 4, sample.x.begin() + (row + 1) * 4);
  }
  const Contexts contexts{kMostCertifiedRows, x};
  const std::vector<Decision> decisions = decide(model_.scorer(), contexts, offers_);
  double before = 1;
  for (const CertifiedShare& point : facts.curve) {
    std::size_t certified = 0;
    for (const Certificate& one :
         certify(model_, contexts, decisions, offers_, {.level = point.level}))
      certified += one.certified ? 1 : 0;
    EXPECT_EQ(point.share, static_cast<double>(certified) / kMostCertifiedRows) << point.level;
    EXPECT_LE(point.share, before);
    before = point.share;
  }
  EXPECT_LT(facts.curve.back().share, facts.curve.front().share);
  EXPECT_GT(facts.expected_regret, 0);
  EXPECT_EQ(facts.margin_quantiles.size(), std::size(kQuantileProbabilities));
}

TEST_F(PassOverLog, ListsDecisionsThatWinNowhere) {
  const LogPass pass = pass_over_log(model_, question());
  const DecisionsFacts facts = decision_facts(model_, pass, &offers_, 1).value();
  EXPECT_THAT(facts.never_chosen_ids, testing::Contains("bad"));
  EXPECT_EQ(facts.chosen_distinct + facts.never_chosen, 4U);
  double chosen = 0, logged = 0;
  for (const DecisionShareFacts& one : facts.list) {
    chosen += one.chosen;
    logged += one.logged;
  }
  EXPECT_NEAR(chosen, 1, 1e-12);
  EXPECT_NEAR(logged, 1, 1e-12);
}

}  // namespace
}  // namespace otss
