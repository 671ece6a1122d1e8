#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/present.hpp"

namespace otss::internal {
namespace {

std::vector<Entrant> entrants() {
  std::vector<Entrant> result = study_entrants({"pooled", "cluster"}, 2);
  for (const GateChoice gate : {GateChoice::kLinear, GateChoice::kQuadratic, GateChoice::kMlp})
    result.push_back({"otss-" + word(gate), {.experts = 2, .gate = gate}});
  result.push_back({"otss", {.experts = 2, .gate = GateChoice::kAuto}});
  return result;
}

}  // namespace

Study gates_study(bool refit) {
  Study study{.name = "gates", .title = "Gates that are too simple, and too flexible"};
  study.about =
      "Panel A with a gate whose score is u'x, or ((u'x)² − 1)/√2, which no linear gate can "
      "follow. "
      "OTSS with a linear, a quadratic (all monomials up to degree two) and a small network gate, "
      "and with `--gate auto`, which chooses by held-out loss. The paper's polynomial gate is "
      "beside our quadratic one for the linear truth, its flexible gate beside our quadratic one "
      "for the quadratic truth.";
  study.specification = {{"simulate", "overlap"}, {"methods", to_json(entrants())}};
  study.settings = {
      contest_setting("linear", "linear truth",
                      [](std::uint64_t seed) { return simulate_overlap({.seed = seed}); },
                      entrants(), refit,
                      {{"otss-linear", {.regret = .019}}, {"otss-quadratic", {.regret = .037}}}),
      contest_setting("quadratic", "quadratic truth",
                      [](std::uint64_t seed) {
                        return simulate_overlap({.score = ScoreForm::kQuadratic, .seed = seed});
                      },
                      entrants(), refit,
                      {{"cluster", {.regret = .108}},
                       {"otss-linear", {.regret = .101, .weight_mse = .480}},
                       {"otss-quadratic", {.regret = .050, .weight_mse = .320}}})};
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
