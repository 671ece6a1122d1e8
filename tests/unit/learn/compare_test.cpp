#include "otss/learn/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lab/worlds/simulation.hpp"
#include "learn/corrected_mean.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

// Against pooled and one other method; penalised maxima, since they take seconds.
CompareOptions quick_options() {
  CompareOptions options;
  options.methods = {Method::kOtss, Method::kPooled, Method::kCluster};
  options.treatments = {Treatment::kAverage};
  options.otss.estimator = Estimator::kMap;
  options.otss.experts = 2;
  options.otss.seed = 3;
  return options;
}

const ComparedMethod& find(const Comparison& comparison, Method method) {
  return *std::ranges::find(comparison.methods, method, &ComparedMethod::method);
}

TEST(Compare, FindsThatSoftSegmentationIsWorthItWhereItIs) {
  const LoggedData log = training_log(simulate_overlap({.n = 4000, .seed = 81}));
  std::vector<double> fractions;
  const Comparison comparison =
      compare(log, quick_options(),
              [&](double fraction, std::string_view) { fractions.push_back(fraction); });

  EXPECT_EQ(comparison.test_rows, 800);
  EXPECT_EQ(comparison.validation_rows, 640);
  EXPECT_EQ(comparison.training_rows, 2560);

  ASSERT_EQ(comparison.methods.size(), 3);
  EXPECT_EQ(comparison.methods.front().method, Method::kOtss);
  EXPECT_TRUE(std::ranges::is_sorted(comparison.methods, {},
                                     [](const ComparedMethod& m) { return m.quality.log_loss; }));

  const ComparedMethod& otss = find(comparison, Method::kOtss);
  const ComparedMethod& pooled = find(comparison, Method::kPooled);
  EXPECT_EQ(otss.difference, 0);
  EXPECT_EQ(otss.difference_lo, 0);
  EXPECT_EQ(otss.difference_hi, 0);
  EXPECT_DOUBLE_EQ(pooled.difference, otss.quality.log_loss - pooled.quality.log_loss);
  EXPECT_LT(pooled.difference_lo, pooled.difference);
  EXPECT_LT(pooled.difference, pooled.difference_hi);
  EXPECT_LT(pooled.difference_hi, 0);
  EXPECT_GT(otss.quality.auc, pooled.quality.auc);
  ASSERT_TRUE(otss.gate.has_value());
  EXPECT_GT(otss.gate->effective_experts, 1.2);
  for (const ComparedMethod& method : comparison.methods) EXPECT_GT(method.seconds, 0);

  EXPECT_TRUE(comparison.supported);
  EXPECT_THAT(comparison.verdict, HasSubstr("Soft segmentation is supported by this log"));
  EXPECT_THAT(comparison.verdict, HasSubstr("800 held-out rows"));

  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
}

TEST(Compare, AveragesOverSplitsAndCorrectsForTheRowsTheyShare) {
  const LoggedData log = training_log(simulate_overlap({.n = 1500, .seed = 83}));
  CompareOptions options = quick_options();
  options.methods = {Method::kPooled, Method::kLinear};
  const std::vector<Method> methods{Method::kOtss, Method::kPooled, Method::kLinear};
  std::map<Method, std::vector<double>> losses;
  for (int repeat = 0; repeat < 3; ++repeat) {
    CompareOptions one = options;
    one.otss.seed += repeat;
    const Comparison split = compare(log, one);
    for (const Method method : methods)
      losses[method].push_back(find(split, method).quality.log_loss);
  }
  options.repeats = 3;
  const Comparison comparison = compare(log, options);
  EXPECT_EQ(comparison.repeats, 3);
  const Method best = comparison.methods.front().method;
  for (const Method method : methods) {
    const ComparedMethod& found = find(comparison, method);
    std::vector<double> behind, ahead;
    for (int split = 0; split < 3; ++split) {
      behind.push_back(losses[method][split] - losses[best][split]);
      ahead.push_back(losses[Method::kOtss][split] - losses[method][split]);
    }
    const CorrectedMean expected = corrected_mean(behind, 300.0 / 1200);
    ASSERT_TRUE(found.repeated.has_value());
    EXPECT_NEAR(found.quality.log_loss, corrected_mean(losses[method], 0.25).mean, 1e-12);
    EXPECT_NEAR(found.repeated->standard_error, corrected_mean(losses[method], 0.25).standard_error,
                1e-12);
    EXPECT_NEAR(found.repeated->behind_best, expected.mean, 1e-12);
    EXPECT_NEAR(found.repeated->behind_best_lo, expected.interval.lo, 1e-12);
    EXPECT_NEAR(found.difference_hi, corrected_mean(ahead, 0.25).interval.hi, 1e-12);
  }
  EXPECT_THAT(comparison.verdict, HasSubstr("the held-out rows of 3 splits"));
}

TEST(Compare, DoesNotFindItWhereThereIsOneTradeOff) {
  const LoggedData log = training_log(simulate_pooled({.n = 2000, .seed = 82}));
  CompareOptions options = quick_options();
  options.methods = {Method::kPooled};
  const Comparison comparison = compare(log, options);
  EXPECT_FALSE(comparison.supported);
  EXPECT_THAT(comparison.verdict, HasSubstr("is not supported by this log"));
}

TEST(Compare, AlwaysComparesOtssWithPooled) {
  const LoggedData log = training_log(simulate_overlap({.n = 800, .seed = 83}));
  CompareOptions options = quick_options();
  options.methods = {Method::kLinear};
  std::vector<Method> methods;
  for (const ComparedMethod& method : compare(log, options).methods)
    methods.push_back(method.method);
  EXPECT_THAT(methods,
              testing::UnorderedElementsAre(Method::kLinear, Method::kPooled, Method::kOtss));
}

TEST(Compare, GivesTheSameNumbersForAnyNumberOfThreads) {
  const LoggedData log = training_log(simulate_overlap({.n = 800, .seed = 84}));
  CompareOptions options = quick_options();
  options.otss.threads = 1;
  const Comparison one = compare(log, options);
  options.otss.threads = 3;
  const Comparison three = compare(log, options);
  ASSERT_EQ(one.methods.size(), three.methods.size());
  for (std::size_t i = 0; i < one.methods.size(); ++i) {
    EXPECT_EQ(one.methods[i].method, three.methods[i].method);
    EXPECT_EQ(one.methods[i].quality.log_loss, three.methods[i].quality.log_loss);
    EXPECT_EQ(one.methods[i].difference_lo, three.methods[i].difference_lo);
  }
}

TEST(Compare, HasMoreRowsToFitOnWhenRefitting) {
  const LoggedData log = training_log(simulate_overlap({.n = 800, .seed = 85}));
  CompareOptions options = quick_options();
  options.methods = {Method::kPooled};
  const Comparison without = compare(log, options);
  options.refit = true;
  const Comparison refitted = compare(log, options);
  EXPECT_EQ(refitted.test_rows, without.test_rows);
  EXPECT_NE(find(refitted, Method::kPooled).quality.log_loss,
            find(without, Method::kPooled).quality.log_loss);
}

TEST(Compare, GivesEveryMethodBothTreatmentsAndComparesLikeWithLike) {
  const LoggedData log = training_log(simulate_overlap({.n = 900, .seed = 87}));
  CompareOptions options = quick_options();
  options.methods = {Method::kLinear};
  options.treatments = {Treatment::kPick, Treatment::kAverage};
  const Comparison comparison = compare(log, options);
  std::map<std::string, const ComparedMethod*> rows;
  for (const ComparedMethod& method : comparison.methods) rows[method.name()] = &method;
  ASSERT_EQ(rows.size(), 5u);
  const auto loss = [&](const std::string& name) { return rows.at(name)->quality.log_loss; };
  const auto difference = [&](const std::string& name) { return rows.at(name)->difference; };
  EXPECT_NE(loss("otss"), loss("otss-pick"));
  EXPECT_NE(loss("linear"), loss("linear-average"));
  EXPECT_DOUBLE_EQ(difference("linear"), loss("otss-pick") - loss("linear"));
  EXPECT_DOUBLE_EQ(difference("linear-average"), loss("otss") - loss("linear-average"));
  EXPECT_DOUBLE_EQ(difference("pooled"), loss("otss") - loss("pooled"));
  EXPECT_EQ(difference("otss"), 0);
  EXPECT_EQ(difference("otss-pick"), 0);
  EXPECT_FALSE(rows.at("pooled")->treatment.has_value());
}

TEST(Compare, GivesThePapersRecipeOneRow) {
  const LoggedData log = training_log(simulate_overlap({.n = 400, .seed = 88}));
  CompareOptions options = quick_options();
  options.otss.estimator = Estimator::kPaper;
  options.methods = {Method::kPooled};
  options.treatments = {Treatment::kPick, Treatment::kAverage};
  const Comparison comparison = compare(log, options);
  ASSERT_EQ(comparison.methods.size(), 2u);
  EXPECT_EQ(find(comparison, Method::kOtss).treatment, Treatment::kPick);
}

std::string error_of(const CompareOptions& options) {
  static const LoggedData log = training_log(simulate_overlap({.n = 400, .seed = 86}));
  try {
    compare(log, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Compare, RefusesAMethodThatIsGivenTwice) {
  CompareOptions options = quick_options();
  options.methods = {Method::kLinear, Method::kLinear};
  EXPECT_THAT(error_of(options), HasSubstr("'linear' is named twice"));
}

TEST(Compare, RefusesMethodsThatCannotBeFittedToTheFamily) {
  CompareOptions options = quick_options();
  options.otss.family = OutputFamily::kGaussian;
  options.methods = {Method::kGbm};
  EXPECT_THAT(error_of(options),
              HasSubstr("'gbm' cannot be fitted with this --family; choose among pooled, otss"));
}

TEST(Compare, RefusesTreatmentsThatAreNone) {
  CompareOptions options = quick_options();
  for (const std::vector<Treatment>& treatments :
       {std::vector<Treatment>{}, std::vector{Treatment::kAuto},
        std::vector{Treatment::kPick, Treatment::kPick}}) {
    options.treatments = treatments;
    EXPECT_THAT(error_of(options), HasSubstr("--treatments: give pick, average or both"));
  }
}

TEST(Compare, RefusesOptionsOutOfRange) {
  CompareOptions options = quick_options();
  options.otss.experts = 1000;
  EXPECT_THAT(error_of(options), HasSubstr("experts"));
}

}  // namespace
}  // namespace otss
