#include "report/trust/trust_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/trust/comparison_file.hpp"
#include "unit/report/logged_world.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

TEST(TrustFacts, WithoutALogAreThoseOfTheFit) {
  FitReport report;
  report.findings = {{Severity::kWarning, "thin_level", "few rows", {"region"}}};
  report.uncertainty_warning = "doubtful";
  FitDiagnostics& diagnostics = report.diagnostics.emplace();
  diagnostics.quality.log_loss = 0.6;
  diagnostics.gate = GateUse{0.5, 1.6, 1.9, {0.7, 0.3}};
  const TrustFacts facts = trust_facts(two_experts(report), nullptr);
  EXPECT_EQ(facts.held_out->log_loss.value, 0.6);
  EXPECT_TRUE(std::isnan(facts.held_out->log_loss.lo));
  EXPECT_FALSE(facts.on_log.has_value());
  EXPECT_FALSE(facts.calibration.has_value());
  EXPECT_EQ(facts.gate->source, FactSource::kTraining);
  EXPECT_EQ(facts.findings, report.findings);
  EXPECT_THAT(facts.warnings, testing::ElementsAre("doubtful"));
  EXPECT_FALSE(trust_facts(two_experts(), nullptr).findings.has_value());
}

TEST(TrustFacts, NameWhatWasTriedTheLowestLossFirst) {
  FitReport report;
  AveragedSettings settings;
  settings.tried = {{1, 0.5, 1, false, false, false, false, 0.62, 0},
                    {3, 4, 2, true, false, false, false, 0.6, 0.8},
                    {1, 0.5, 1, false, true, false, false, 0.61, 0.2}};
  report.choice = {settings, "why", "split", {{GateChoice::kLinear, 0.605}}};
  const std::vector<TriedFacts> tried = trust_facts(two_experts(report), nullptr).tried;
  ASSERT_EQ(tried.size(), 4U);
  EXPECT_THAT(tried[0].words, HasSubstr("3 experts, relevance of each column learned"));
  EXPECT_EQ(tried[0].weight, 0.8);
  EXPECT_EQ(tried[1].words, "linear gate");
  EXPECT_TRUE(tried[1].chosen);
  EXPECT_THAT(tried[2].words, HasSubstr("linear in the context"));
  EXPECT_EQ(tried[3].words, "one trade-off for everybody");
  EXPECT_FALSE(tried[3].chosen);
}

constexpr const char* kComparison = R"({"training_rows":600,"validation_rows":150,"test_rows":250,
  "refit":false,"repeats":1,"supported":true,"verdict":"yes","methods":[
  {"method":"otss","log_loss":0.6,"seconds":1.5,"otss_minus_method":{"log_loss":0,"lo":0,"hi":0}},
  {"method":"pooled","log_loss":0.65,"auc":null,
   "otss_minus_method":{"log_loss":-0.05,"lo":-0.07,"hi":-0.02}}]})";

TEST(ComparisonFile, HasTheDifferenceOfEachMethodFromOtss) {
  const Folder folder;
  const ComparisonFacts facts = read_comparison(folder.write("compare.json", kComparison));
  EXPECT_EQ(facts.rows, 250U);
  EXPECT_EQ(facts.verdict, "yes");
  ASSERT_EQ(facts.methods.size(), 2U);
  EXPECT_EQ(facts.methods[1].method, "pooled");
  EXPECT_EQ(facts.methods[1].difference.value, 0.05);
  EXPECT_EQ(facts.methods[1].difference.lo, 0.02);
  EXPECT_EQ(facts.methods[1].difference.hi, 0.07);
  EXPECT_EQ(facts.methods[0].seconds, 1.5);
}

TEST(ComparisonFile, ThatIsSomethingElseIsRefused) {
  const Folder folder;
  const auto refusal = [&](const std::string& text) {
    const std::string path = folder.write("c.json", text);
    return error_of([&] { read_comparison(path); });
  };
  EXPECT_THAT(refusal("method,log_loss\n"), HasSubstr("c.json: the file is not a JSON document"));
  EXPECT_THAT(refusal("{}"), HasSubstr("otss compare … --json"));
  EXPECT_THAT(refusal(R"({"test_rows":1,"repeats":1,"verdict":"","methods":[{"method":3}]})"),
              HasSubstr("methods[0]: field 'method'"));
  EXPECT_THAT(refusal(std::string(2'000'000, ' ')), HasSubstr("too large"));
  EXPECT_THAT(error_of([&] { read_comparison(folder.path("none.json")); }),
              HasSubstr("none.json: the file cannot be read"));
}

}  // namespace
}  // namespace otss
