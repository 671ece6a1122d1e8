#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "lab/journey/journey.hpp"
#include "lab/journey/standardizer.hpp"
#include "lab/worlds/world.hpp"

namespace otss::internal {
namespace {

constexpr double kRand = 0.8;  // weight of the random function in the gate's score
constexpr double kBaseline = 0.5;

// The weights of the two experts, in the order of the factor names. The first expert prefers value
// and what families like; the second prefers quality and health.
constexpr double kExperts[] = {0.5,   0.5, 0.25,  0,   0.25, 0.25,  0.25, 0.25, 0,   -0.25,
                               -0.25, 0,   -0.25, 0.5, 0,    -0.25, 0.25, 0,    0.5, 0.25};

std::size_t place_of(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) - names.begin();
}

// A linear function of the context, scaled to mean 0 and standard deviation 1 on the training rows.
class Signal {
 public:
  Signal(const JourneyData& data, std::vector<double> slopes)
      : slopes_(std::move(slopes)), scaling_(raw(data.train), 1) {}

  std::vector<double> of(const JourneyRows& rows) const {
    std::vector<double> values = raw(rows);
    scaling_.apply(values);
    return values;
  }

 private:
  std::vector<double> raw(const JourneyRows& rows) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.num_rows(); ++i) {
      const auto x = rows.contexts.begin() + static_cast<std::ptrdiff_t>(i * slopes_.size());
      values.push_back(std::inner_product(slopes_.begin(), slopes_.end(), x, 0.0));
    }
    return values;
  }

  std::vector<double> slopes_;
  Standardizer scaling_;
};

struct Term {
  std::string_view column;
  double slope;
};

Signal named_signal(const JourneyData& data, std::initializer_list<Term> terms) {
  std::vector<double> slopes(data.context_names.size(), 0.0);
  for (const Term& term : terms) slopes[place_of(data.context_names, term.column)] = term.slope;
  return {data, std::move(slopes)};
}

Signal random_signal(const JourneyData& data, Rng& rng) {
  std::vector<double> slopes(data.context_names.size());
  for (double& slope : slopes) slope = rng.normal();
  return {data, std::move(slopes)};
}

struct Latent {
  Signal known, random, baseline;
};

std::vector<double> experts_of(const JourneySpec& spec, int num_factors, Rng& rng) {
  std::vector<double> experts(std::begin(kExperts), std::end(kExperts));
  if (spec.bank == JourneyBank::kGiven) return experts;
  std::vector<double> drawn;
  for (auto given = experts.begin(); given != experts.end(); given += num_factors) {
    const double squares = std::inner_product(given, given + num_factors, given, 0.0);
    const std::vector<double> own = random_unit(rng, num_factors, std::sqrt(squares));
    drawn.insert(drawn.end(), own.begin(), own.end());
  }
  return drawn;
}

std::vector<double> logging_scores(const ContextDecisions& open, std::size_t habit,
                                   double strength) {
  std::vector<double> scores;
  for (std::size_t d = 0; d < open.size(); ++d) scores.push_back(strength * open.factors(d)[habit]);
  return scores;
}

SimulatedRows draw(const Simulation& s, const JourneyRows& source, const Latent& latent,
                   const JourneySpec& spec, Rng rng) {
  SimulatedRows rows;
  rows.num_rows = source.num_rows();
  rows.contexts = source.contexts;
  rows.groups = source.households;
  rows.own_decisions = source.decisions;
  rows.weights.resize(rows.num_rows * s.num_factors);
  const std::vector<double> known = latent.known.of(source);
  const std::vector<double> random = latent.random.of(source);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const double share = 1 / (1 + std::exp(-spec.tau * (known[i] + kRand * random[i])));
    rows.shares.insert(rows.shares.end(), {share, 1 - share});
  }
  const std::vector<double> baseline = latent.baseline.of(source);
  const std::size_t habit = place_of(s.own_factor_names, "habit");
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const LoggedDecision logged =
        draw_by_scores(logging_scores(source.decisions.at(i), habit, spec.logging), rng);
    log_decision(s, logged, kBaseline * baseline[i], rows, rng);
  }
  return rows;
}

}  // namespace

Simulation simulate_journey(const JourneyData& data, std::uint64_t seed, const JourneySpec& spec) {
  Rng world = world_rng(seed, WorldStream::kWorld);
  const Latent latent{
      .known = named_signal(
          data, {{"deal_share", 1}, {"kids", 1}, {"log_income", -1}, {"breakfast_health", -1}}),
      .random = random_signal(data, world),
      .baseline =
          named_signal(data, {{"log_spend_per_week", 1}, {"recency", -1}, {"active_rate", 1}})};
  Simulation s;
  s.num_contexts = static_cast<int>(data.context_names.size());
  s.num_factors = static_cast<int>(data.factor_names.size());
  s.num_experts = 2;
  s.experts = experts_of(spec, s.num_factors, world);
  s.own_context_names = data.context_names;
  s.own_factor_names = data.factor_names;
  s.train = draw(s, data.train, latent, spec, world_rng(seed, WorldStream::kTrain));
  s.test = draw(s, data.test, latent, spec, world_rng(seed, WorldStream::kTest));
  s.spec = {{"generator", "journey"},
            {"n", data.train.num_rows()},
            {"library", data.library.size()},
            {"tau", spec.tau},
            {"logging", spec.logging},
            {"drawn_bank", spec.bank == JourneyBank::kDrawn},
            {"rand", kRand},
            {"seed", seed}};
  return s;
}

}  // namespace otss::internal
