// Fuzz target: a units file, given as CSV. The word MODEL in the input stands for the checksum of
// the model, which no fuzzer would find. DuckDB, which scans the file, is not instrumented.
#include "model/fitted_parts.hpp"
#include "otss/model/unit_states.hpp"
#include "scratch_folder.hpp"
#include "served.hpp"

namespace otss::fuzz {
namespace {

// A model whose units differ in their intercept alone, so that a unit has two numbers.
const Fitted& unit_model() {
  static const Fitted fitted = [] {
    Fitted::Parts parts = load_model(std::string(OTSS_FUZZ) + "/served.json").parts();
    const std::size_t size = 1 + parts.encoder.factors.size();
    parts.roles.unit = "who";
    parts.deviations = Deviations{DeviationForm::kIntercept, 1, std::vector<double>(size * size)};
    parts.deviations->covariance.front() = 0.5;
    return Fitted(std::move(parts));
  }();
  return fitted;
}

std::string with_checksum(std::string_view text) {
  static const std::string checksum = model_checksum(unit_model());
  constexpr std::string_view kPlaceholder = "MODEL";
  std::string result;
  for (std::size_t at = text.find(kPlaceholder); at != text.npos; at = text.find(kPlaceholder)) {
    result.append(text.substr(0, at)).append(checksum);
    text.remove_prefix(at + kPlaceholder.size());
  }
  return result.append(text);
}

void use(const UnitStates& states, const ScratchFolder& folder) {
  const std::vector<double> x = contexts_of(unit_model()).back();
  for (std::size_t unit = 0; unit < states.num_units(); ++unit) {
    const UnitBelief belief = states.belief(unit);
    std::vector<double> w(unit_model().num_factors());
    unit_model().weights(x, &belief, w);
    require_finite(w, "the weights of a unit are finite");
    if (!states.has_times()) continue;
    // A file may have numbers that overflow when rows are taken out of them.
    accepts([&] {
      const auto earlier = states.belief(unit, states.last_time(unit) + 1);
      if (earlier) require_finite(earlier->weights, "the weights of a unit are finite");
    });
  }
  save_units(states, folder.path("again.csv"));
  const UnitStates again = load_units(unit_model(), folder.path("again.csv"));
  require(again.num_units() == states.num_units(), "what is saved can be loaded");
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  static const fuzz::ScratchFolder folder("units");
  folder.write("units.csv", fuzz::with_checksum(fuzz::text_of(data, size)));
  fuzz::accepts(
      [&] { fuzz::use(load_units(fuzz::unit_model(), folder.path("units.csv")), folder); });
  return 0;
}
