#include "lab/studies/output/present.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/studies/methods.hpp"
#include "lab/studies/output/markdown_table.hpp"

namespace otss::internal {
namespace {

PaperValue paper_value(const StudySetting& setting, const std::string& method) {
  const auto found = setting.paper.find(method);
  return found == setting.paper.end() ? PaperValue{} : found->second;
}

// The intervals of differences that a table shows.
struct ShownIntervals {
  int count = 0;
  int exclude_zero = 0;

  std::string show(const Contest& contest, std::size_t base, std::size_t e,
                   double Scorecard::*field) {
    if (base >= contest.names.size() || e == base) return "";
    const double value = contest.difference(base, e, field);
    if (std::isnan(value)) return "";
    const Interval interval = contest.difference_interval(base, e, field);
    if (!std::isnan(interval.lo)) {
      ++count;
      if (interval.lo > 0 || interval.hi < 0) ++exclude_zero;
    }
    return value_and_interval(value, interval);
  }

  // Says how many intervals would exclude zero by chance.
  std::string words() const {
    if (count == 0)
      return fmt::format("There are no intervals, because there are fewer than {} seeds.\n",
                         kLeastSeeds);
    return fmt::format(
        "{} of {} intervals exclude zero; if all methods were equal, about {:.0f} would by "
        "chance.\n",
        exclude_zero, count, std::ceil(0.05 * count));
  }
};

std::string ratio_to_oracle(const Contest& contest, std::size_t e) {
  const std::size_t oracle = contest.index(kOracleGate);
  if (oracle >= contest.names.size()) return "";
  return fmt::format(
      "{:.2f}", contest.mean(e, &Scorecard::regret) / contest.mean(oracle, &Scorecard::regret));
}

double published(const PaperValue& value, double Scorecard::*field) {
  if (field == &Scorecard::regret) return value.regret;
  return field == &Scorecard::weight_mse ? value.weight_mse : Scorecard::kNone;
}

}  // namespace

std::string mean_and_sd(double mean, double sd, int digits) {
  if (std::isnan(mean)) return "";
  if (std::isnan(sd)) return fmt::format("{:.{}f}", mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", mean, digits, sd, digits);
}

std::string value_and_interval(double value, const Interval& interval) {
  if (std::isnan(interval.lo)) return fmt::format("{:+.4f}", value);
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", value, interval.lo, interval.hi);
}

std::string method_table(const StudySetting& setting, const Contest& contest) {
  const std::string minus = method_title(contest.names[contest.reference]) + " minus method";
  const std::vector<std::string> header = {
      "method",     "treatment",         "paper: regret",     "regret",     "/ oracle",
      minus,        "auto minus method", "paper: weight MSE", "weight MSE", minus,
      "match rate", "log-loss",          "effective experts"};
  std::vector<std::vector<std::string>> rows;
  ShownIntervals intervals;
  for (std::size_t e = 0; e < contest.names.size(); ++e) {
    const PaperValue paper = paper_value(setting, contest.names[e]);
    const auto mean = [&](double Scorecard::*field) { return contest.mean(e, field); };
    const auto ours = [&](double Scorecard::*field) {
      return mean_and_sd(mean(field), contest.deviation(e, field));
    };
    const auto plain = [&](double Scorecard::*field) {
      return mean_and_sd(mean(field), Scorecard::kNone);
    };
    const std::optional<Treatment> treatment = method_treatment(contest.names[e]);
    const std::size_t otss = contest.reference_of(e);
    const std::size_t automatic = even_reference(contest, word(Method::kAuto), e);
    rows.push_back(
        {method_title(contest.names[e]), treatment ? word(*treatment) : "",
         mean_and_sd(paper.regret, paper.regret_sd), ours(&Scorecard::regret),
         ratio_to_oracle(contest, e), intervals.show(contest, otss, e, &Scorecard::regret),
         intervals.show(contest, automatic, e, &Scorecard::regret),
         mean_and_sd(paper.weight_mse, paper.weight_mse_sd), ours(&Scorecard::weight_mse),
         intervals.show(contest, otss, e, &Scorecard::weight_mse), plain(&Scorecard::match_rate),
         plain(&Scorecard::log_loss), plain(&Scorecard::effective_experts)});
  }
  return markdown_table(header, rows) + "\n" + intervals.words();
}

RowPanel method_panel(const std::string& title, const StudySetting& setting, const Contest& contest,
                      double Scorecard::*field) {
  RowPanel panel{.title = title, .x_label = field == &Scorecard::regret ? "regret" : "weight MSE"};
  for (std::size_t e = 0; e < contest.names.size(); ++e) {
    const std::vector<double> values = contest.values(e, field);
    if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) continue;
    const Interval interval = seed_interval(values);
    panel.rows.push_back({.name = full_title(contest.names[e]),
                          .mean = contest.mean(e, field),
                          .lo = interval.lo,
                          .hi = interval.hi,
                          .points = values,
                          .highlight = e == contest.reference,
                          .reference = published(paper_value(setting, contest.names[e]), field)});
  }
  return panel;
}

StudyPage present_methods(const Study& study, const std::vector<Contest>& contests) {
  StudyPage page;
  Figure regret{.title = study.title + ": regret"};
  Figure error{.title = study.title + ": weight error"};
  const std::string caption = fmt::format(
      "Means over {} seeds with 95 % bootstrap intervals (BCa). Faint points are single seeds; "
      "hollow "
      "marks are the paper's values.",
      contests.front().scores.front().size());
  regret.caption = error.caption = caption;
  for (std::size_t s = 0; s < contests.size(); ++s) {
    const StudySetting& setting = study.settings[s];
    page.table += fmt::format("## {}\n\n{}\n", setting.title, method_table(setting, contests[s]));
    regret.panels.emplace_back(
        method_panel(setting.title, setting, contests[s], &Scorecard::regret));
    error.panels.emplace_back(
        method_panel(setting.title, setting, contests[s], &Scorecard::weight_mse));
  }
  page.figures = {{"regret", regret}, {"weight-error", error}};
  return page;
}

}  // namespace otss::internal
