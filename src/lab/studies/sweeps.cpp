#include <fmt/core.h>

#include <functional>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/curves.hpp"
#include "lab/studies/methods.hpp"

namespace otss::internal {
namespace {

// A sweep repeats Panel A with several values of one parameter.
struct Sweep {
  const char* name;
  const char* title;
  const char* axis;
  std::vector<double> values;
  void (*set)(OverlapSpec& spec, double value);
};

const std::vector<Sweep>& sweeps() {
  static const std::vector<Sweep> result = {
      {"n",
       "More rows",
       "training rows",
       {500, 1000, 2000, 5000, 10000},
       [](OverlapSpec& spec, double value) { spec.n = static_cast<int>(value); }},
      {"tau",
       "Sharper gate",
       "τ",
       {0.3, 0.6, 1.2, 2.4, 4.8},
       [](OverlapSpec& spec, double value) { spec.tau = value; }},
      {"nuisance",
       "Larger nuisance columns",
       "sd of nuisance columns",
       {0.25, 0.5, 1, 2, 4},
       [](OverlapSpec& spec, double value) { spec.nuisance = value; }}};
  return result;
}

std::string setting_name(const Sweep& sweep, double value) {
  return fmt::format("{}={}", sweep.name, value);
}

std::size_t setting_index(const Study& study, const std::string& name) {
  return std::ranges::find(study.settings, name, &StudySetting::name) - study.settings.begin();
}

std::vector<CurvePoint> points(const Study& study, const std::vector<Contest>& contests,
                               const Sweep& sweep) {
  std::vector<CurvePoint> result;
  for (const double value : sweep.values)
    result.push_back({value, &contests[setting_index(study, setting_name(sweep, value))]});
  return result;
}

// The methods of one table, which all have the same treatment of their settings, and the methods
// without settings.
std::vector<std::string> with_treatment(const Contest& contest, Treatment treatment) {
  std::vector<std::string> names;
  for (const std::string& name : contest.names) {
    if (method_treatment(name).value_or(treatment) == treatment) names.push_back(name);
  }
  return names;
}

// The methods of the figures: ours with averaged settings, and the paper's recipe.
std::vector<std::string> drawn(const Contest& contest) {
  std::vector<std::string> names = with_treatment(contest, Treatment::kAverage);
  names.emplace_back("otss-paper");
  return names;
}

StudyPage present_sweeps(const Study& study, const std::vector<Contest>& contests) {
  StudyPage page;
  const std::string caption = fmt::format(
      "Means over {} seeds with 95 % bootstrap bands (BCa); the other parameters are those of "
      "Panel A.",
      contests.front().scores.front().size());
  Figure regret{.title = "What makes segmentation hard: regret", .caption = caption};
  Figure error{.title = "What makes segmentation hard: weight error", .caption = caption};
  const auto panel = [&](const Sweep& sweep, const char* label, double Scorecard::*field) {
    CurvePanel result{.title = sweep.title,
                      .x_label = sweep.axis,
                      .y_label = label,
                      .log_x = true,
                      .log_y = true};
    result.series = method_curves(points(study, contests, sweep), field, drawn(contests.front()));
    return result;
  };
  for (const Sweep& sweep : sweeps()) {
    for (const Treatment treatment : {Treatment::kPick, Treatment::kAverage}) {
      page.table += fmt::format("## {}: regret, treatment {}\n\n{}\n", sweep.title, word(treatment),
                                curve_table(sweep.axis, points(study, contests, sweep),
                                            with_treatment(contests.front(), treatment)));
    }
    regret.panels.emplace_back(panel(sweep, "regret", &Scorecard::regret));
    error.panels.emplace_back(panel(sweep, "weight MSE", &Scorecard::weight_mse));
  }
  page.figures = {{"sweeps", regret}, {"sweeps-weight-error", error}};
  return page;
}

}  // namespace

Study sweeps_study(bool refit) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  const auto entrants =
      study_entrants(both_treatments(once, {"cluster", "hard", "otss", "auto"}), 2);
  Study study{.name = "sweeps", .title = "Panel A with one parameter varied"};
  study.about =
      "The logs are those of Panel A with one parameter varied at a time. For each seed, the "
      "smaller training sets are the first rows of the largest one, and the test contexts are the "
      "same, so that only the number of rows changes. The paper shows these curves without "
      "numbers. The figures show the treatment *average* and the paper's recipe. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "overlap"}, {"methods", to_json(entrants)}};
  for (const Sweep& sweep : sweeps()) {
    for (const double value : sweep.values) {
      OverlapSpec spec;
      sweep.set(spec, value);
      study.settings.push_back(contest_setting(
          setting_name(sweep, value), fmt::format("{} = {}", sweep.axis, value),
          [spec](std::uint64_t seed) {
            OverlapSpec own = spec;
            own.seed = seed;
            return simulate_overlap(own);
          },
          entrants, refit));
    }
  }
  study.present = present_sweeps;
  return study;
}

}  // namespace otss::internal
