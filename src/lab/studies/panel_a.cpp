#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {

Study panel_a_study(bool refit) {
  const auto entrants = main_entrants(refit, 2, {"gbm"});
  const std::map<std::string, PaperValue> paper = {
      {"pooled", {.223, .090, .794, .015}},   {"linear", {.124, .102, .554, .282}},
      {"low-rank", {.042, .032, .209, .141}}, {"mlp", {.078, .043, .434, .213}},
      {"cluster", {.188, .083, .685, .142}},  {"em", {.026, .018, .138, .086}},
      {"hard", {.128, .121, .781, .264}},     {"otss-paper", {.014, .008, .120, .047}}};
  Study study{.name = "panel-a", .title = "Panel A: two trade-offs that overlap"};
  study.about =
      "The logs are those of `otss simulate overlap`, our specification of the paper's overlap "
      "benchmark: five context columns that affect the gate, five that do not, eight factors and "
      "twenty decisions. There are 5,000 training rows, of which 1,000 are validation rows, and "
      "3,000 test contexts. The paper does not specify its generator, so compare only the order "
      "and the ratios of its numbers (means over eight seeds) with ours. OTSS, EM and hard "
      "routing are told that there are two experts; cluster and auto choose their number. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "overlap"},
                         {"n", OverlapSpec{}.n},
                         {"tau", OverlapSpec{}.tau},
                         {"nuisance", OverlapSpec{}.nuisance},
                         {"methods", to_json(entrants)}};
  study.settings = {contest_setting(
      "overlap", "Overlap, τ = 1.2, nuisance scale 0.5",
      [](std::uint64_t seed) { return simulate_overlap({.seed = seed}); }, entrants, refit, paper)};
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
