#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/studies/output/present.hpp"
#include "lab/worlds/random_world.hpp"

namespace otss::internal {
namespace {

constexpr const char* kAuto = "auto";
constexpr const char* kMixtures = "otss";

// Every method averages its settings, and none is told the number of experts.
std::vector<Entrant> world_entrants() {
  std::vector<Entrant> entrants = study_entrants(
      {"pooled", "linear-average", "low-rank-average", "mlp-average", "cluster-average",
       "em-average", "hard-average", "gbm-average", kMixtures, kAuto},
      0);
  for (Entrant& entrant : entrants) entrant.options.experts = {};
  return entrants;
}

// The results of all worlds, and what can be picked from them.
class WorldResults {
 public:
  explicit WorldResults(const Contest& contest) : contest_(contest) {
    for (std::size_t e = 0; e < contest.names.size(); ++e) {
      if (!is_ours(e)) others_.push_back(e);
    }
  }

  std::size_t num_worlds() const { return contest_.scores.front().size(); }
  std::size_t num_methods() const { return contest_.names.size(); }
  std::size_t index(const char* name) const { return contest_.index(name); }
  double regret(std::size_t method, std::size_t world) const {
    return contest_.scores[method][world].regret;
  }

  // Returns the regrets of the methods with which `method` is compared. OTSS and auto are compared
  // with the other methods, not with each other; the other methods meet auto.
  std::vector<double> rivals(std::size_t method, std::size_t world) const {
    std::vector<double> regrets;
    for (const std::size_t other : others_) {
      if (other != method) regrets.push_back(regret(other, world));
    }
    if (!is_ours(method)) regrets.push_back(regret(index(kAuto), world));
    return regrets;
  }

  // Returns the regret, in each world, of the other method with the lowest `field`. With the field
  // log_loss this is what somebody gets who compares the other methods on the test rows.
  std::vector<double> picked(double Scorecard::*field) const {
    std::vector<double> regrets;
    for (std::size_t world = 0; world < num_worlds(); ++world) {
      const std::size_t chosen = *std::ranges::min_element(
          others_, {}, [&](std::size_t other) { return contest_.scores[other][world].*field; });
      regrets.push_back(regret(chosen, world));
    }
    return regrets;
  }

  std::vector<double> regrets(std::size_t method) const {
    return contest_.values(method, &Scorecard::regret);
  }

 private:
  bool is_ours(std::size_t e) const {
    return contest_.names[e] == kAuto || contest_.names[e] == kMixtures;
  }

  const Contest& contest_;
  std::vector<std::size_t> others_;
};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double mean_of(const std::vector<double>& values) {
  return sum_of(values) / static_cast<double>(values.size());
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

// How often a method is the best one, and by how much. Methods with equal regret share a world.
struct Lead {
  double share = 0;  // share of the worlds
  double mean = 0;   // mean regret that the best rival has more, over these worlds
  std::vector<double>
      behind;  // by world: regret that the method has more than its best rival, or 0
};

Lead lead_of(const WorldResults& results, std::size_t method) {
  Lead lead;
  double ahead = 0;
  double worlds = 0;
  for (std::size_t world = 0; world < results.num_worlds(); ++world) {
    const std::vector<double> rivals = results.rivals(method, world);
    const double gap = std::ranges::min(rivals) - results.regret(method, world);
    lead.behind.push_back(std::max(0.0, -gap));
    if (gap < 0) continue;
    const auto equals = std::ranges::count(rivals, results.regret(method, world));
    worlds += 1 / (1 + static_cast<double>(equals));
    ahead += gap;
  }
  lead.share = worlds / static_cast<double>(results.num_worlds());
  lead.mean = worlds > 0 ? ahead / worlds : Scorecard::kNone;
  return lead;
}

std::string lead_table(const Contest& contest, const WorldResults& results) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t e = 0; e < results.num_methods(); ++e) {
    const Lead lead = lead_of(results, e);
    const auto against = [&](const char* ours) {
      const std::size_t base = contest.index(ours);
      if (base == e) return std::string();
      return value_and_interval(contest.difference(base, e, &Scorecard::regret),
                                contest.difference_interval(base, e, &Scorecard::regret));
    };
    rows.push_back({method_title(contest.names[e]),
                    mean_and_sd(contest.mean(e, &Scorecard::regret), Scorecard::kNone),
                    fmt::format("{:.3f}", lead.share), mean_and_sd(lead.mean, Scorecard::kNone),
                    mean_and_sd(mean_of(lead.behind), Scorecard::kNone), against(kMixtures),
                    against(kAuto),
                    mean_and_sd(contest.mean(e, &Scorecard::log_loss), Scorecard::kNone, 4)});
  }
  return markdown_table(
      {"method", "regret", "share of worlds in which it is best", "ahead by, there",
       "behind the best by, all worlds", "OTSS minus method", "auto minus method", "log-loss"},
      rows);
}

std::string bar_text(const WorldResults& results) {
  const std::vector<double> picked = results.picked(&Scorecard::log_loss);
  const auto against = [&](const char* ours) {
    const std::vector<double> own = results.regrets(results.index(ours));
    const std::vector<double> difference = minus(own, picked);
    return fmt::format("{}: {:.3f}, which is {:.3f} of it; mean difference {}", ours, sum_of(own),
                       sum_of(own) / sum_of(picked),
                       value_and_interval(mean_of(difference), seed_interval(difference)));
  };
  return fmt::format(
      "Regret summed over {} worlds. Picking, in each world, the comparison method with the "
      "lowest log-loss on the test rows: {:.3f} (with hindsight, the one with the lowest regret: "
      "{:.3f}). {}. {}.\n",
      results.num_worlds(), sum_of(picked), sum_of(results.picked(&Scorecard::regret)),
      against(kAuto), against(kMixtures));
}

std::string truth_table(const Contest& contest, const WorldResults& results) {
  const std::vector<double> picked = results.picked(&Scorecard::log_loss);
  const std::vector<double> behind = lead_of(results, results.index(kAuto)).behind;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [truth, name] : word_table(WorldTruth{})) {
    std::vector<std::size_t> worlds;
    for (std::size_t world = 0; world < results.num_worlds(); ++world) {
      if (draw_world_spec(contest.first_seed + world).truth == truth) worlds.push_back(world);
    }
    if (worlds.empty()) continue;
    const auto mean = [&](const std::function<double(std::size_t world)>& value) {
      double sum = 0;
      for (const std::size_t world : worlds) sum += value(world);
      return fmt::format("{:.3f}", sum / static_cast<double>(worlds.size()));
    };
    std::vector<std::string> row = {std::string(name), fmt::format("{}", worlds.size())};
    for (std::size_t e = 0; e < results.num_methods(); ++e)
      row.push_back(mean([&](std::size_t world) { return results.regret(e, world); }));
    row.push_back(mean([&](std::size_t world) { return picked[world]; }));
    row.push_back(mean([&](std::size_t world) { return behind[world] > 0 ? 0.0 : 1.0; }));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> header = {"truth", "worlds"};
  for (const std::string& name : contest.names) header.push_back(method_title(name));
  header.insert(header.end(), {"picked by log-loss", "auto is best"});
  return markdown_table(header, rows);
}

Figure lead_figure(const Contest& contest, const WorldResults& results) {
  RowPanel share{.title = "How often it is best", .x_label = "share of worlds"};
  RowPanel behind{.title = "How far behind the best", .x_label = "regret above the best rival's"};
  for (std::size_t e = 0; e < results.num_methods(); ++e) {
    const Lead lead = lead_of(results, e);
    const std::string name = method_title(contest.names[e]);
    const bool ours = e == contest.index(kAuto);
    const Interval interval = seed_interval(lead.behind);
    share.rows.push_back({.name = name, .mean = lead.share, .highlight = ours});
    behind.rows.push_back({.name = name,
                           .mean = mean_of(lead.behind),
                           .lo = interval.lo,
                           .hi = interval.hi,
                           .points = lead.behind,
                           .highlight = ours});
  }
  return {
      .title = "Worlds drawn at random",
      .caption = fmt::format(
          "{} worlds. Left: the share of worlds in which a method has the lowest regret. Right: "
          "by how much its regret exceeds the lowest one, mean with 95 % bootstrap interval "
          "(BCa); faint points are single worlds.",
          results.num_worlds()),
      .panels = {share, behind}};
}

StudyPage present_worlds(const Study&, const std::vector<Contest>& contests) {
  const Contest& contest = contests.front();
  const WorldResults results(contest);
  StudyPage page;
  page.table =
      fmt::format("## All worlds\n\n{}\n{}\n## Regret by the form of the truth\n\n{}",
                  lead_table(contest, results), bar_text(results), truth_table(contest, results));
  page.figures = {{"worlds", lead_figure(contest, results)}};
  return page;
}

}  // namespace

Study worlds_study(bool refit) {
  Study study{.name = "worlds", .title = "Worlds drawn at random: who leads where"};
  study.about =
      "Each seed is a world of its own. Its rows (500 to 5,000), context columns (2 to 15), "
      "factors (2 to 10), decisions (5 to 100), size of the weights, baseline, correlation of "
      "the columns and logging policy (uniform, or preferring some decisions, in every context "
      "or depending on the context) are drawn at random. Of ten worlds, three are a mixture "
      "behind a linear gate. The others, one each: a mixture behind a smooth gate, one behind a "
      "quadratic gate, one expert per context, regions of a tree, weights linear in the context, "
      "weights linear in one or two directions, one trade-off for everybody (docs/method.md). "
      "Every method averages its settings with weights by cross-validation, and none is told the "
      "number of experts. OTSS and auto are compared with the other methods, not with each other.";
  const std::vector<Entrant> entrants = world_entrants();
  study.specification = {{"simulate", "random"}, {"methods", to_json(entrants)}};
  study.settings = {{.name = "worlds",
                     .title = "worlds drawn at random",
                     .run =
                         [entrants, refit](std::uint64_t seed) {
                           return fit_entrants(simulate_random_world(seed), entrants,
                                               {.refit = refit});
                         },
                     .run_some = run_some_entrants(simulate_random_world, entrants, refit)}};
  study.present = present_worlds;
  return study;
}

}  // namespace otss::internal
