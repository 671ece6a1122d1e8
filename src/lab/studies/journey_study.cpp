#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {

Study journey_study(const std::shared_ptr<const JourneyData>& data, bool refit) {
  const auto entrants = main_entrants(refit, 2, {"gbm"});
  Study study{.name = "journey", .title = "Complete Journey: a grocer's households and bundles"};
  study.about =
      "Contexts, decisions and factors come from the tables of the data set The Complete Journey; "
      "the trade-offs that determine the outcomes are ours, so that regret is exact. A context is "
      "a household in a week, described by 54 columns. There are 5,000 training rows and 3,000 "
      "test rows, and no household is in both. The library has 100 breakfast bundles; some of the "
      "ten factors depend on the household. The paper publishes neither its experts nor its "
      "logging policy. OTSS, EM and hard routing are told that there are two experts. A "
      "household's "
      "rows are either all validation rows or all training rows. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "journey"}, {"methods", to_json(entrants)}};
  if (data != nullptr) {
    study.specification.update({{"train_rows", data->train.num_rows()},
                                {"test_rows", data->test.num_rows()},
                                {"library", data->library.size()},
                                {"contexts", data->context_names.size()},
                                {"transactions", data->counts.transactions}});
  }
  study.settings = {contest_setting(
      "journey", "Complete Journey, τ = 1.2, rand 0.8",
      [data](std::uint64_t seed) { return simulate_journey(*data, seed); }, entrants, refit,
      {{"low-rank", {.172, .083}}, {"em", {.198, .191}}, {"otss-paper", {.111, .041}}})};
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
