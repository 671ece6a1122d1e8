#include <fmt/core.h>

#include <cmath>

#include "lab/scoring/promises.hpp"
#include "lab/studies/catalogue.hpp"
#include "lab/studies/output/markdown_table.hpp"

namespace otss::internal {
namespace {

constexpr const char* kFitted = "otss";

// Returns a setting in which one model is fitted to all training rows, and its promises measured.
StudySetting promise_setting(std::string name, std::string title, Simulate simulate,
                             const FitOptions& options) {
  return {.name = std::move(name),
          .title = std::move(title),
          .run = [simulate = std::move(simulate), options](std::uint64_t seed) {
            const Simulation simulation = simulate(seed);
            FitOptions own = options;
            own.threads = 1;
            const Fitted fitted = fit(training_log(simulation), own);
            MethodResult result{kFitted, measure(simulation, fitted)};
            measure_promises(simulation, fitted, result.measured);
            return std::vector<MethodResult>{std::move(result)};
          }};
}

std::string shown(double value) { return std::isnan(value) ? "" : fmt::format("{:.3f}", value); }

// Returns a table with one row per setting, averaged over seeds.
StudyPage present_promises(const Study& study, const std::vector<Contest>& contests) {
  const std::vector<std::string> header = {
      "setting", "coverage of 90 % intervals", "known share",           "gate does not fit",
      "flagged", "certified at 90 %",          "wrong among certified", "regret"};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t s = 0; s < contests.size(); ++s) {
    const auto mean = [&](double Scorecard::*field) { return contests[s].mean(0, field); };
    const double certified = mean(&Scorecard::certified);
    rows.push_back({study.settings[s].title, shown(mean(&Scorecard::coverage)),
                    shown(mean(&Scorecard::known_share)), shown(mean(&Scorecard::misfit)),
                    shown(mean(&Scorecard::flagged)), shown(certified),
                    certified > 0 ? shown(mean(&Scorecard::certified_wrong) / certified) : "",
                    shown(mean(&Scorecard::regret))});
  }
  return {markdown_table(header, rows), {}};
}

}  // namespace

Study coverage_study(const JourneyLibraries& data, bool with_retail) {
  Study study{.name = "coverage", .title = "Coverage: do intervals and certificates hold?"};
  study.about =
      "One model is fitted to each log, with the default options unless the setting says "
      "otherwise. "
      "Coverage is the share of the true weights of 400 test contexts that the 90 % intervals "
      "cover. \"Flagged\" is the share of seeds in which the fit says that the gate does not fit, "
      "or "
      "that the log does not determine the weights of single contexts (known share below 0.5); in "
      "the latter case no decision is certified.";
  study.has_validation = false;
  study.reference = kFitted;
  const auto matched = [](TruthForm truth) {
    return [truth](std::uint64_t seed) { return simulate_matched({.truth = truth, .seed = seed}); };
  };
  const auto quadratic = [](std::uint64_t seed) {
    return simulate_overlap({.score = ScoreForm::kQuadratic, .seed = seed});
  };
  study.settings = {
      promise_setting("panel-a", "Panel A",
                      [](std::uint64_t seed) { return simulate_overlap({.seed = seed}); }, {}),
      promise_setting("soft", "Panel B, soft truth", matched(TruthForm::kSoft), {}),
      promise_setting("hard", "Panel B, hard truth", matched(TruthForm::kHard), {}),
      promise_setting("gates", "quadratic truth, linear gate", quadratic, {}),
      promise_setting("gates-2", "quadratic truth, linear gate, two experts", quadratic,
                      {.experts = 2})};
  if (with_retail) {
    study.settings.push_back(promise_setting(
        "retail", "Complete Journey",
        [data](std::uint64_t seed) { return simulate_journey(data->front(), seed); }, {}));
  }
  study.specification = {{"level", 0.9}, {"retail", with_retail}};
  study.present = present_promises;
  return study;
}

}  // namespace otss::internal
