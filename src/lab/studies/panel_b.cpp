#include <fmt/core.h>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {
namespace {

struct TruthColumn {
  const char* name;
  const char* title;
  MatchedSpec spec;
  std::map<std::string, PaperValue> paper;  // the paper's values, for rand 1.2 and five experts
};

std::vector<TruthColumn> columns() {
  return {{"hard",
           "hard truth",
           {.truth = TruthForm::kHard},
           {{"pooled", {1.470, .099}},
            {"linear", {1.721, .024}},
            {"low-rank", {1.480, .078}},
            {"cluster", {1.497, .094}},
            {"em", {1.507, .118}},
            {"hard", {1.592, .077}},
            {"otss-paper", {1.458, .040}}}},
          {"soft",
           "soft truth",
           {},
           {{"pooled", {.602, .101}},
            {"linear", {.911, .022}},
            {"low-rank", {.678, .073}},
            {"cluster", {.611, .100}},
            {"em", {.621, .022}},
            {"hard", {.722, .084}},
            {"otss-paper", {.605, .062}}}},
          {"high-n",
           "soft truth, 4,000 rows",
           {.n = 4000},
           {{"pooled", {.567, .052}},
            {"linear", {.867, .016}},
            {"low-rank", {.634, .063}},
            {"cluster", {.578, .058}},
            {"em", {.558, .059}},
            {"hard", {.610, .056}},
            {"otss-paper", {.553, .039}}}}};
}

const MatchedSpec kPublished{};  // the paper's setting: rand 1.2, five experts

// Returns the paper's setting first, then settings in which one parameter is changed.
std::vector<std::pair<std::string, MatchedSpec>> variants() {
  return {{"", {}},
          {"-rand0.4", {.rand = 0.4}},
          {"-rand0", {.rand = 0}},
          {"-experts3", {.experts = 3}}};
}

std::vector<Entrant> panel_entrants(bool refit, int experts) {
  auto result = main_entrants(refit, experts, {});
  for (Entrant& entrant : result)
    entrant.options.no_intercept = entrant.options.method == Method::kLinear;
  return result;
}

}  // namespace

Study panel_b_study(bool refit) {
  Study study{.name = "panel-b", .title = "Panel B: hard against soft truth"};
  study.about =
      "The logs are those of `otss simulate matched`, our specification of the paper's matched "
      "benchmark: twenty context columns, eight factors and fifty decisions. Hard and soft truth "
      "have the same experts and scores. With the hard truth, the expert with the largest score "
      "determines the weights; with the soft truth, the scores mix the experts, and the largest "
      "share is 0.55 on average. A score is a linear function plus rand times a smooth random "
      "function. There are 2,000 rows, of which 400 are validation rows, or 4,000 rows. The "
      "paper's numbers (means over eight seeds) are for rand 1.2 and five experts. OTSS, EM and "
      "hard routing are told the number of experts; linear contextual has no intercept. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "matched"},
                         {"methods", to_json(panel_entrants(refit, kPublished.experts))}};
  for (const auto& [suffix, variant] : variants()) {
    for (const TruthColumn& column : columns()) {
      // A setting that differs from the paper's in both the number of experts and the number of
      // rows is left out, because only one parameter should change.
      if (variant.experts != kPublished.experts && column.spec.n != kPublished.n) continue;
      MatchedSpec spec = column.spec;
      spec.rand = variant.rand;
      spec.experts = variant.experts;
      study.settings.push_back(contest_setting(
          column.name + suffix,
          fmt::format("{}, rand {}, {} experts", column.title, spec.rand, spec.experts),
          [spec](std::uint64_t seed) {
            MatchedSpec own = spec;
            own.seed = seed;
            return simulate_matched(own);
          },
          panel_entrants(refit, spec.experts), refit,
          suffix.empty() ? column.paper : std::map<std::string, PaperValue>{}));
    }
  }
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
