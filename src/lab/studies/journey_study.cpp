#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/present.hpp"

namespace otss::internal {

Study journey_study(const std::shared_ptr<const JourneyData>& data, bool refit) {
  const auto entrants = study_entrants({"pooled", "linear", "low-rank", "mlp", "cluster", "em",
                                        "hard", "gbm", "otss-paper", "otss-paper-wide", "otss"},
                                       2);
  Study study{.name = "journey", .title = "Complete Journey: a grocer's households and bundles"};
  study.about =
      "Contexts (54 columns of 5,000 training and 3,000 test household weeks, households "
      "disjoint), "
      "a library of 100 breakfast bundles and ten factors, some of which depend on the household, "
      "come from the dunnhumby tables; the trade-offs behind the outcomes are ours, so that regret "
      "is exact. The paper publishes neither its experts nor its logging policy. OTSS and hard "
      "routing are told that there are two experts. Validation rows are whole households.";
  study.specification = {{"simulate", "journey"},
                         {"train_rows", data->train.num_rows()},
                         {"test_rows", data->test.num_rows()},
                         {"library", data->library.size()},
                         {"contexts", data->context_names.size()},
                         {"transactions", data->counts.transactions},
                         {"methods", to_json(entrants)}};
  study.settings = {contest_setting(
      "journey", "Complete Journey, τ = 1.2, rand 0.8",
      [data](std::uint64_t seed) { return simulate_journey(*data, seed); }, entrants, refit,
      {{"low-rank", {.172, .083}}, {"em", {.198, .191}}, {"otss-paper", {.111, .041}}})};
  study.present = present_methods;
  return study;
}

}  // namespace otss::internal
