#include <fmt/core.h>

#include "lab/histories/history_methods.hpp"
#include "lab/studies/catalogue.hpp"
#include "lab/studies/output/curves.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kHistoryRows[] = {0, 1, 2, 5, 10, 20, 50};
constexpr std::size_t kLongestHistory = 50, kTestedUnits = 1000;

// Fits the methods to the log of one seed, and measures their weights for each length of history.
std::vector<std::vector<MethodResult>> run_trial(std::uint64_t seed) {
  const PanelTrial trial = simulate_panel_trial({.seed = seed}, kTestedUnits, kLongestHistory);
  std::vector<std::vector<MethodResult>> results(std::size(kHistoryRows));
  for (const HistoryMethod& method : fit_history_methods(trial)) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].push_back(
          {method.name, measure_weights(trial.simulation, method.weights(kHistoryRows[i]))});
    }
  }
  return results;
}

StudyPage present_panel(const Study&, const std::vector<Contest>& contests) {
  std::vector<CurvePoint> rows, shifted;
  for (std::size_t i = 0; i < contests.size(); ++i) {
    rows.push_back({static_cast<double>(kHistoryRows[i]), &contests[i]});
    shifted.push_back({1 + rows.back().value, &contests[i]});
  }
  const auto figure = [&](const char* title, const char* label, double Scorecard::*field) {
    CurvePanel panel{.title = title,
                     .x_label = "1 + rows of history",
                     .y_label = label,
                     .log_x = true,
                     .log_y = true};
    panel.series = method_curves(shifted, field);
    return Figure{.title = "What a unit's own rows add",
                  .caption = fmt::format("Means over {} seeds with 95 % bootstrap bands (BCa).",
                                         contests.front().scores.front().size()),
                  .panels = {panel}};
  };
  StudyPage page;
  page.table = fmt::format("## Regret\n\n{}", curve_table("rows of history", rows));
  page.figures = {
      {"regret", figure("Regret against rows of history", "regret", &Scorecard::regret)},
      {"weight-error",
       figure("Weight error against rows of history", "weight MSE", &Scorecard::weight_mse)}};
  return page;
}

}  // namespace

Study panel_study() {
  Study study{.name = "panel", .title = "Panel: what a unit's own rows add"};
  study.about = fmt::format(
      "Each log has 1,000 units with 10 rows on average (`otss simulate panel`). The weights of a "
      "unit are those of its contexts plus a deviation with standard deviation 0.6 per factor. The "
      "methods are fitted to the log. Then {} new units come, and each method knows the first 0, "
      "1, … {} rows of each of them. Regret is that of the next decision. OTSS with history is "
      "`fit "
      "--unit`; OTSS without history is `fit --group`, which knows only the contexts. Mixed logit "
      "is one trade-off for everybody with personal deviations. \"One model per unit\" is a "
      "logistic regression on the unit's own rows with a ridge penalty (without rows: on the rows "
      "of all units). \"Unit columns with ridge\" has weights that are linear in the context "
      "columns and in an indicator of each unit. \"EM classes\" are latent classes of units; a "
      "unit's weights are the mean over classes, with the classes' probabilities given its rows. "
      "Penalties and the number of classes are chosen on rows held out within units. The paper has "
      "no such study.",
      kTestedUnits, kLongestHistory);
  study.has_validation = false;
  study.reference = "otss-history";
  study.specification = {{"simulate", "panel"}, {"new_units", kTestedUnits}};
  for (const std::size_t rows : kHistoryRows)
    study.settings.push_back(
        {fmt::format("rows={}", rows), fmt::format("{} rows of history", rows), {}, {}});
  study.run_together = run_trial;
  study.present = present_panel;
  return study;
}

}  // namespace otss::internal
