#include "model/file/report_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

FitReport averaged() {
  FitReport report;
  report.software = "otss 9";
  report.options = {{"seed", 5}, {"experts", "auto"}, {"no-refit", false}, {"validation", 0.0}};
  report.data = {1200, "abc"};
  AveragedSettings settings;
  settings.tried = {{1, 0.5, 1, false, false, false, false, 0.61, 0.1},
                    {1, 0.5, 1, false, true, false, false, 0.605, 0.1},
                    {3, 4, 2, true, false, false, false, 0.6, 0.8},
                    {2, 4, 2, false, false, true, true, 0.7, 0}};
  settings.baseline_penalty = 0.1;
  settings.center_penalty = 0.3;
  settings.experts = 3;
  settings.distilling = {0.01, 0.02, 0.03};
  settings.few_columns_share = 0.4;
  settings.seed_changes = 1.0 / 3;
  report.choice = {
      settings, "why", "5-fold", {{GateChoice::kLinear, 0.6}, {GateChoice::kMlp, 0.7}}};
  report.held_out = {0.6, 0.61};
  report.gain = {0.01, 0.003};
  report.context_gain = {0.001, 0.002};
  report.diagnostics = {
      {0.6, 0.2, 1.2, 0.1, 0.7, 1.05}, GateUse{0.5, 1.6, 2.5, {0.7, 0.3}}, {{4, 2}}};
  report.chains = {{3, GateColumns::kFew, 2, 160, 0.8, {1.1, 40}, {1.3, 9}, "not mixed"},
                   {1, GateColumns::kAll, 2, 160, 0.9, {1, 300}, {1, 310}, ""}};
  report.uncertainty_warning = "doubtful";
  report.diagnostics->calibration = {{40, 0.2, 0.25, 0.03}, {41, 0.7, 1, 0.01}};
  report.findings = {{Severity::kUnidentified, "separation", "too good", {"a", "b"}},
                     {Severity::kNote, "reading", "a comma", {}}};
  report.weight_checks = {
      GateTest{.columns = 6, .p_value = 0.001, .gain = 0.002, .discrepancy = {0.1, -0.2}}, 0.7};
  return report;
}

FitReport compared() {
  FitReport report;
  ComparedSettings settings;
  settings.tried = {{{{"clusters", 3}, {"penalty", 4.0}}, 0.6},
                    {{{"clusters", 4}, {"penalty", 4.0}}, kNone}};
  settings.chosen = settings.tried.front().setting;
  report.choice = {settings, "the lowest", "one split", {}};
  report.diagnostics = {{0.6, 0.2, 1.2, kNone, kNone, 1.05}, {}, {}};
  return report;
}

FitReport read(const Json& provenance, int version) {
  const Json document = {{"provenance", provenance}};
  JsonFields fields(document, "m.json");
  return report_from_json(fields, version, OutputFamily::kBernoulli);
}

std::string refusal(const Json& provenance) {
  try {
    read(provenance, 2);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Json to_json(const FitReport& report) { return report_to_json(report, OutputFamily::kBernoulli); }

// What is no number is null there.
Json in_a_file(const FitReport& report) { return Json::parse(to_json(report).dump()); }

TEST(Report, IsTheSameAfterTheFile) {
  for (const FitReport& report : {FitReport{}, averaged(), compared()})
    EXPECT_EQ(to_json(read(in_a_file(report), 2)).dump(), to_json(report).dump());
}

TEST(Report, KeepsTypesAndNumbers) {
  const FitReport report = read(in_a_file(averaged()), 2);
  EXPECT_EQ(report.options, averaged().options);
  EXPECT_EQ(report.gain.value().standard_error, 0.003);
  const auto& settings = std::get<AveragedSettings>(report.choice.value().settings);
  EXPECT_TRUE(settings.tried[1].linear_weights);
  EXPECT_TRUE(settings.tried[2].learns_relevance);
  EXPECT_EQ(settings.distilling.changed_decisions, 0.03);
  EXPECT_EQ(report.choice->gates[1].gate, GateChoice::kMlp);
  EXPECT_EQ(report.chains[0].gate_columns, GateColumns::kFew);
  EXPECT_EQ(report.chains[0].warning, "not mixed");
  EXPECT_EQ(report.diagnostics->starts->agreeing, 2);
  EXPECT_EQ(report.diagnostics->quality.squared_error, 0.2);
  EXPECT_EQ(report.diagnostics->calibration[1].rows, 41U);
  EXPECT_EQ(report.findings, averaged().findings);
  EXPECT_EQ(report.weight_checks->known_share, 0.7);
  EXPECT_EQ(report.weight_checks->gate->discrepancy, (std::vector<double>{0.1, -0.2}));
  EXPECT_FALSE(read(in_a_file(compared()), 2).findings.has_value());
}

TEST(Report, OfVersionTwoIsReadStrictly) {
  Json json = to_json(averaged());
  json["heterogeneity"]["extra"] = 1;
  EXPECT_THAT(refusal(json), HasSubstr("heterogeneity: field 'extra' is unknown"));
  json = to_json(averaged());
  json["weight_checks"]["gate"]["p_value"] = 1.5;
  EXPECT_THAT(refusal(json), HasSubstr("'p_value' is not between 0 and 1"));
  json = to_json(averaged());
  json["heterogeneity"].erase("standard_error");
  EXPECT_THAT(refusal(json), HasSubstr("'standard_error' is missing"));
  json = to_json(averaged());
  json["selection"]["tried"][1]["experts"] = 2.5;
  EXPECT_THAT(refusal(json), HasSubstr("selection.tried[1]: field 'experts' is not a count"));
  json = to_json(averaged());
  json["author"] = "me";
  EXPECT_THAT(refusal(json), HasSubstr("'author' is unknown"));
  json = to_json(averaged());
  json["findings"][1]["severity"] = "grave";
  EXPECT_THAT(refusal(json), HasSubstr("findings[1]: field 'severity' has a value"));
  json = to_json(averaged());
  json["diagnostics"]["calibration"][0]["standard_error"] = -1;
  EXPECT_THAT(refusal(json), HasSubstr("calibration[0]: field 'standard_error' is negative"));
  for (const char* gate : {"auto", "tree"}) {
    json = to_json(averaged());
    json["selection"]["gates"][1]["gate"] = gate;
    EXPECT_THAT(refusal(json), HasSubstr("selection.gates[1]: field 'gate' has a value"));
  }
}

TEST(Report, OfVersionOneIsTakenPartByPart) {
  Json json = to_json(averaged());
  json["heterogeneity"].erase("standard_error");
  json["diagnostics"].erase("deviance");
  json["diagnostics"].erase("explained");
  json["author"] = "me";
  json["data"] = Json::array();
  const FitReport report = read(json, 1);
  EXPECT_NEAR(report.gain.value().standard_error, 0.003, 1e-15);
  EXPECT_EQ(report.diagnostics.value().quality.auc, 0.7);
  EXPECT_TRUE(std::isnan(report.diagnostics->quality.deviance));
  EXPECT_FALSE(report.data.has_value());
  EXPECT_EQ(report.software, "otss 9");
  EXPECT_FALSE(read({{"selection", "all"}}, 1).choice.has_value());
}

TEST(Gain, IsSupportedWhereItsWholeIntervalIsAboveZero) {
  EXPECT_TRUE(judge_gain({0.02, 0.01}).supported);
  EXPECT_FALSE(judge_gain({0.0195, 0.01}).supported);
  EXPECT_NEAR(judge_gain({0, 1}).hi, 1.96, 1e-4);
  EXPECT_FALSE(judge_gain({1e-9, 1e-12}).supported) << "a gain that does not matter";
}

}  // namespace
}  // namespace otss
