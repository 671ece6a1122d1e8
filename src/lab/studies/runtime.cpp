#include <fmt/core.h>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {
namespace {

struct PaperSeconds {
  const char* em;
  const char* otss;
  const char* ratio;
};

constexpr PaperSeconds kPaper[] = {
    {"17.73", "0.17", "101×"}, {"128.82", "0.56", "229×"}, {"128.55", "0.56", "230×"}};

std::vector<Entrant> runtime_entrants(int experts) {
  auto entrants = study_entrants({"em", "otss-paper", "otss", "otss-map"}, experts);
  entrants.front().options.experts = {};  // EM searches for K too, as in the paper
  return entrants;
}

StudyPage present_runtime(const Study& study, const std::vector<Contest>& contests) {
  std::vector<std::vector<std::string>> rows;
  Figure figure{.title = "Seconds of a fit, including the choice of settings",
                .caption = "Each fit runs alone, on one thread; faint points are single seeds."};
  for (std::size_t s = 0; s < contests.size(); ++s) {
    const Contest& contest = contests[s];
    const std::size_t em = contest.index("em");
    const std::size_t paper = contest.index("otss-paper");
    const double em_seconds = contest.mean(em, &Scorecard::seconds);
    RowPanel panel{.title = study.settings[s].title, .x_label = "seconds", .log_x = true};
    for (std::size_t e = 0; e < contest.names.size(); ++e) {
      if (contest.names[e] == kOracleGate) continue;
      const double seconds = contest.mean(e, &Scorecard::seconds);
      const bool is_em = e == em;
      const bool is_paper = e == paper;
      rows.push_back(
          {fmt::format("{}: {}", study.settings[s].title, method_title(contest.names[e])),
           is_em      ? kPaper[s].em
           : is_paper ? kPaper[s].otss
                      : "",
           mean_and_sd(seconds, contest.deviation(e, &Scorecard::seconds)),
           is_paper ? kPaper[s].ratio : "",
           is_em ? "" : fmt::format("{:.2f}×", em_seconds / seconds),
           mean_and_sd(contest.mean(e, &Scorecard::regret), Scorecard::kNone)});
      panel.rows.push_back({.name = method_title(contest.names[e]),
                            .mean = seconds,
                            .points = contest.values(e, &Scorecard::seconds),
                            .highlight = e == contest.reference});
    }
    figure.panels.emplace_back(std::move(panel));
  }
  StudyPage page;
  page.table =
      markdown_table(
          {"", "paper: seconds", "seconds", "paper: EM / method", "EM / method", "regret"}, rows) +
      "\nThe column \"EM / method\" is the time of EM divided by the time of the method. The "
      "paper's ratios are for a standard EM. Our EM is accelerated, so our ratios differ: an "
      "iteration is a quasi-Newton step preconditioned by the M step, each setting starts from the "
      "fit of a similar setting, and a fit stops when its likelihood hardly improves. `OTSS, map` "
      "is `--estimator map`.\n";
  page.figures = {{"seconds", figure}};
  return page;
}

}  // namespace

Study runtime_study(bool refit) {
  Study study{.name = "runtime", .title = "Runtime: EM with all its settings against OTSS"};
  study.about =
      "The table has the seconds of one fit on one thread, including the choice of settings; only "
      "one fit runs at a time. EM tries several numbers of experts and penalties. OTSS by the "
      "paper's recipe tries several restarts, ridges and numbers of passes. OTSS is also fitted by "
      "our default estimator and by `--estimator map`. The seconds depend on the machine; the "
      "ratios should hold on other machines too.";
  study.timed = true;
  study.specification = {{"methods", to_json(runtime_entrants(0))}};
  study.settings = {
      contest_setting(
          "overlap", "panel A", [](std::uint64_t seed) { return simulate_overlap({.seed = seed}); },
          runtime_entrants(2), refit),
      contest_setting(
          "hard", "panel B, hard",
          [](std::uint64_t seed) {
            return simulate_matched({.truth = TruthForm::kHard, .seed = seed});
          },
          runtime_entrants(5), refit),
      contest_setting(
          "soft", "panel B, soft",
          [](std::uint64_t seed) { return simulate_matched({.seed = seed}); }, runtime_entrants(5),
          refit)};
  study.present = present_runtime;
  return study;
}

}  // namespace otss::internal
