#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"
#include "lab/studies/sweep_study.hpp"

namespace otss::internal {

Study journey_study(const JourneyLibraries& data, bool refit) {
  const auto entrants = main_entrants(refit, 2, {"gbm"});
  Study study{.name = "journey", .title = "Complete Journey: a grocer's households and bundles"};
  study.about =
      "Contexts, decisions and factors come from the tables of the data set The Complete "
      "Journey; the trade-offs that determine the outcomes are ours, so that regret is exact. A "
      "context is a household in a week, described by 54 columns. There are 5,000 training rows "
      "and 3,000 test rows, and no household is in both. The library has 100 breakfast bundles; "
      "some of the ten factors depend on the household. The paper publishes neither its experts "
      "nor its logging policy. OTSS, EM and hard routing are told that there are two experts. A "
      "household's rows are either all validation rows or all training rows. In the second "
      "setting, the bank of two experts is drawn for each seed, and the library is one of "
      "several: the one of the first setting, or 100 bundles drawn at random. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "journey"}, {"methods", to_json(entrants)}};
  if (data != nullptr) {
    const JourneyData& first = data->front();
    study.specification.update({{"train_rows", first.train.num_rows()},
                                {"test_rows", first.test.num_rows()},
                                {"library", first.library.size()},
                                {"libraries", data->size()},
                                {"contexts", first.context_names.size()},
                                {"transactions", first.counts.transactions}});
  }
  study.settings = {
      contest_setting(
          "journey", "Complete Journey, τ = 1.2, rand 0.8",
          [data](std::uint64_t seed) { return simulate_journey(data->front(), seed); }, entrants,
          refit, {{"low-rank", {.172, .083}}, {"em", {.198, .191}}, {"otss-paper", {.111, .041}}}),
      contest_setting(
          "banks", "Complete Journey, several banks and libraries",
          [data](std::uint64_t seed) {
            return simulate_journey((*data)[seed % data->size()], seed,
                                    {.bank = JourneyBank::kDrawn});
          },
          entrants, refit)};
  study.present = present_methods;
  return study;
}

Study journey_sweeps_study(const JourneyLibraries& data, bool refit) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  const SweepStudyParts parts{
      .name = "journey-sweeps",
      .title = "Complete Journey with one parameter varied",
      .about =
          "The logs are those of the study `journey` with one parameter varied at a time: the "
          "sharpness τ of the gate, and the strength of the logging policy, which chooses a "
          "bundle with a probability proportional to exp(strength · habit). A strength of 0 "
          "logs uniformly; the stronger it is, the rarer are bundles in the log that a household "
          "does not buy by habit.",
      .figures = "Complete Journey",
      .other_parameters = "The other parameters are those of the study journey.",
      .world = "journey",
      .entrants = study_entrants(both_treatments(once, {"low-rank", "em", "otss", "auto"}), 2),
      .refit = refit};
  const auto sweep = [data](std::string name, std::string title, std::string axis,
                            std::vector<double> values, double JourneySpec::*field) {
    return Sweep{std::move(name),
                 std::move(title),
                 std::move(axis),
                 std::move(values),
                 [data, field](double value, std::uint64_t seed) {
                   JourneySpec spec;
                   spec.*field = value;
                   return simulate_journey(data->front(), seed, spec);
                 },
                 JourneySpec{}.*field,
                 false};
  };
  return sweep_study(
      parts, {sweep("tau", "Sharper gate", "τ", {0.3, 0.6, 1.2, 2.4, 4.8}, &JourneySpec::tau),
              sweep("logging", "Stronger logging policy", "strength of the logging policy",
                    {0, 0.5, 1, 2, 4}, &JourneySpec::logging)});
}

}  // namespace otss::internal
