#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {
namespace {

std::vector<Entrant> gate_entrants(bool refit) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  std::vector<Entrant> result = study_entrants(
      both_treatments(once, {"low-rank", "mlp", "cluster", "em", "otss", "auto"}), 2);
  for (Entrant& entrant : result) {
    const bool ours = fits_segments(entrant.options.method);
    if (ours && entrant.options.estimator == Estimator::kAuto)
      entrant.options.gate = GateChoice::kAuto;
  }
  for (const GateChoice gate : {GateChoice::kLinear, GateChoice::kQuadratic, GateChoice::kMlp})
    result.push_back({"otss-" + word(gate), {.method = Method::kOtss, .experts = 2, .gate = gate}});
  return result;
}

}  // namespace

Study gates_study(bool refit) {
  Study study{.name = "gates",
              .title = "Gates that are too simple, and gates that are too flexible"};
  study.about =
      "The logs are those of Panel A. The score of the true gate is u'x (linear truth), or "
      "((u'x)² − 1)/√2 (quadratic truth), which no linear gate can represent. OTSS is fitted with "
      "a linear gate, a quadratic gate (all monomials up to degree two), a small network gate, and "
      "`--gate auto`, which chooses one of them by held-out loss; the rows OTSS and auto have "
      "`--gate auto`. Beside our quadratic gate, the "
      "table shows the paper's polynomial gate for the linear truth, and the paper's flexible gate "
      "for the quadratic truth. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "overlap"}, {"methods", to_json(gate_entrants(refit))}};
  study.settings = {
      contest_setting("linear", "linear truth",
                      [](std::uint64_t seed) { return simulate_overlap({.seed = seed}); },
                      gate_entrants(refit), refit,
                      {{"otss-linear", {.regret = .019}}, {"otss-quadratic", {.regret = .037}}}),
      contest_setting("quadratic", "quadratic truth",
                      [](std::uint64_t seed) {
                        return simulate_overlap({.score = ScoreForm::kQuadratic, .seed = seed});
                      },
                      gate_entrants(refit), refit,
                      {{"cluster", {.regret = .108}},
                       {"otss-linear", {.regret = .101, .weight_mse = .480}},
                       {"otss-quadratic", {.regret = .050, .weight_mse = .320}}})};
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
