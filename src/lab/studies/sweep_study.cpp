#include "lab/studies/sweep_study.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/curves.hpp"

namespace otss::internal {
namespace {

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

StudyPage present_sweeps(const SweepStudyParts& parts, const std::vector<Sweep>& sweeps,
                         const Study& study, const std::vector<Contest>& contests) {
  StudyPage page;
  const std::string caption =
      fmt::format("Means over {} seeds with 95 % bootstrap bands (BCa). {}",
                  contests.front().scores.front().size(), parts.other_parameters);
  Figure regret{.title = parts.figures + ": regret", .caption = caption};
  Figure error{.title = parts.figures + ": weight error", .caption = caption};
  const auto panel = [&](const Sweep& sweep, const char* label, double Scorecard::*field) {
    CurvePanel result{.title = sweep.title,
                      .x_label = sweep.axis,
                      .y_label = label,
                      .log_x = sweep.log_axis,
                      .log_y = true};
    result.series = method_curves(points(study, contests, sweep), field, drawn(contests.front()));
    return result;
  };
  for (const Sweep& sweep : sweeps) {
    for (const Treatment treatment : {Treatment::kPick, Treatment::kAverage}) {
      page.table += fmt::format("## {}: regret, treatment {}\n\n{}\n", sweep.title, word(treatment),
                                curve_table(sweep.axis, points(study, contests, sweep),
                                            with_treatment(contests.front(), treatment)));
    }
    regret.panels.emplace_back(panel(sweep, "regret", &Scorecard::regret));
    error.panels.emplace_back(panel(sweep, "weight MSE", &Scorecard::weight_mse));
  }
  page.figures = {{parts.name, regret}, {parts.name + "-weight-error", error}};
  return page;
}

}  // namespace

Study sweep_study(const SweepStudyParts& parts, std::vector<Sweep> sweeps) {
  Study study{.name = parts.name, .title = parts.title};
  study.about = parts.about + " The figures show the treatment *average* and the paper's recipe. " +
                std::string(kAboutTreatments);
  study.specification = {{"simulate", parts.world}, {"methods", to_json(parts.entrants)}};
  std::optional<std::size_t> usual;  // the setting with the usual values, which all sweeps have
  for (const Sweep& sweep : sweeps) {
    for (const double value : sweep.values) {
      study.settings.push_back(contest_setting(
          setting_name(sweep, value), fmt::format("{} = {}", sweep.axis, value),
          [simulate = sweep.simulate, value](std::uint64_t seed) { return simulate(value, seed); },
          parts.entrants, parts.refit));
      if (value != sweep.usual) continue;
      study.settings.back().same_as = usual;
      if (!usual) usual = study.settings.size() - 1;
    }
  }
  study.present = [parts, sweeps = std::move(sweeps)](const Study& own,
                                                      const std::vector<Contest>& contests) {
    return present_sweeps(parts, sweeps, own, contests);
  };
  return study;
}

}  // namespace otss::internal
