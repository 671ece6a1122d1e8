#include "learn/methods/em.hpp"

#include "base/random.hpp"
#include "learn/methods/routing/expert_counts.hpp"
#include "learn/options/defaults.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/problem/spectral_start.hpp"

namespace otss::internal {
namespace {

// Prior standard deviations s. kGateSpreads are those of the gate scores; the gate's penalty
// strength is p / s^2. kExpertSpreads are those of the difference between an expert's linear
// predictor and that of the experts' centre; the experts' penalty strength is J / s^2.
//
// The order is from weak to strong penalties. A strong penalty makes a mixture collapse onto the
// saddle point where all experts are equal. A fit with a weaker penalty that starts at this point
// stays there.
constexpr double kGateSpreads[] = {4, 2, 1, 0.5};
constexpr double kExpertSpreads[] = {3.2, 1.6, 0.8, 0.4};
// The fit stops when an iteration lowers the summed loss by less than this, in nats. The summed
// losses of different settings differ by far more.
constexpr double kLeftToGain = 0.02;
// The first setting of each K has this many starts: the spectral start and two random rotations of
// the spectral start.
constexpr int kStarts = 3;

struct EmSetting {
  int experts;
  double gate_spread;
  double expert_spread;
};

class Em final : public ComparisonMethod {
 public:
  explicit Em(const FitOptions& options)
      : experts_(options.experts),
        starts_(options.restarts.is_auto() ? kStarts : options.restarts.value) {}

  std::vector<NamedValues> settings(const Problem& problem) const override {
    std::vector<NamedValues> result;
    for (const EmSetting& s : grid(problem)) {
      result.push_back({{"experts", s.experts},
                        {"gate_spread", s.gate_spread},
                        {"expert_spread", s.expert_spread}});
    }
    return result;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    std::vector<StandardisedModel> models;
    // The parameters fitted with the weakest gate penalty and the latest expert penalty. The first
    // fit with the next expert penalty starts from these parameters.
    std::vector<double> weakest_gate;
    std::vector<double> last;
    for (const EmSetting& s : grid(input.problem)) {
      const bool new_row = s.gate_spread == kGateSpreads[0];
      if (new_row && s.expert_spread == kExpertSpreads[0])
        weakest_gate = best_start(input, s, spectral);
      last = fit_from(input, s, new_row ? weakest_gate : last).theta;
      if (new_row) weakest_gate = last;
      models.push_back(mixture(input.problem, s, last));
    }
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel& near) const override {
    const EmSetting s = grid(input.problem)[setting];
    return mixture(input.problem, s, fit_from(input, s, mixture_parameters(near)).theta);
  }

 private:
  std::vector<EmSetting> grid(const Problem& problem) const {
    std::vector<EmSetting> result;
    for (const int k : expert_counts(problem, experts_, defaults::kExperts, Method::kEm)) {
      for (const double expert_spread : kExpertSpreads) {
        for (const double gate_spread : kGateSpreads)
          result.push_back({k, gate_spread, expert_spread});
      }
    }
    return result;
  }

  static RoutedFit fit_from(const MethodInput& input, const EmSetting& s,
                            std::span<const double> start) {
    const MixtureLayout layout = input.problem.layout(s.experts);
    Penalty penalty = input.pooled.penalty;
    penalty.gate = layout.num_contexts / (s.gate_spread * s.gate_spread);
    penalty.expert = layout.num_factors / (s.expert_spread * s.expert_spread);
    return fit_routed(
        input.problem, {}, penalty, layout, start,
        {.num_threads = input.num_threads, .tolerance = kLeftToGain / input.problem.rows.total()});
  }

  std::vector<double> best_start(const MethodInput& input, const EmSetting& s,
                                 const SpectralStart& spectral) const {
    RoutedFit best = fit_from(input, s, spectral.start(s.experts));
    for (int i = 1; i < starts_; ++i) {
      Rng rng(input.seed, i);
      RoutedFit fit = fit_from(input, s, spectral.restart(s.experts, rng));
      if (fit.objective < best.objective) best = std::move(fit);
    }
    return best.theta;
  }

  static StandardisedModel mixture(const Problem& problem, const EmSetting& s,
                                   std::span<const double> theta) {
    StandardisedModel model = mixture_model(problem.layout(s.experts), theta);
    model.mixes_probabilities = true;
    return model;
  }

  AutoCount experts_;
  int starts_;
};

}  // namespace

std::unique_ptr<ComparisonMethod> make_em(const FitOptions& options) {
  return std::make_unique<Em>(options);
}

}  // namespace otss::internal
