#include "learn/methods/em.hpp"

#include <algorithm>
#include <span>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "learn/methods/routing/expert_counts.hpp"
#include "learn/options/defaults.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/problem/spectral_start.hpp"

namespace otss::internal {
namespace {

// Prior standard deviations s, in the order that defaults.hpp explains. kGateSpreads are those of the gate
// scores; the gate's penalty strength is p / s^2. kExpertSpreads are those of the difference between
// an expert's linear predictor and that of the experts' centre; the experts' penalty strength is
// J / s^2.
constexpr auto kGateSpreads = defaults::kRidgeGateScales;
constexpr auto kExpertSpreads = defaults::kRidgeExpertScales;
// The fit stops when an iteration lowers the summed loss by less than this, in nats. The summed
// losses of different settings differ by far more.
constexpr double kLeftToGain = 0.02;
// The first setting of each K has this many starts: the spectral start and two random rotations of
// the spectral start.
constexpr int kStarts = 3;

constexpr std::size_t kSettingsPerCount = std::size(kGateSpreads) * std::size(kExpertSpreads);

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
    const std::vector<EmSetting> all = grid(input.log);
    std::vector<StandardisedModel> models(all.size());
    parallel_for(all.size() / kSettingsPerCount, input.num_threads, [&](std::size_t count) {
      const std::size_t first = count * kSettingsPerCount;
      const auto settings = std::span(all).subspan(first, kSettingsPerCount);
      fit_count(input, settings, spectral, std::span(models).subspan(first, kSettingsPerCount));
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel& near) const override {
    const EmSetting s = grid(input.log)[setting];
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

  // Fits the settings of one number of experts. They are ordered by expert penalty; the settings
  // with the same expert penalty are a row. Each row begins with the weakest gate penalty. The first
  // fit of a row starts from the first fit of the row before, any other fit from the fit before.
  void fit_count(const MethodInput& input, std::span<const EmSetting> settings,
                 const SpectralStart& spectral, std::span<StandardisedModel> models) const {
    constexpr std::size_t kRow = std::size(kGateSpreads);
    std::vector<std::vector<double>> first_of_row;
    for (std::size_t s = 0; s < settings.size(); s += kRow) {
      const auto start = s == 0 ? best_start(input, settings[0], spectral) : first_of_row.back();
      first_of_row.push_back(fit_from(input, settings[s], start).theta);
    }
    parallel_for(first_of_row.size(), input.num_threads, [&](std::size_t row) {
      std::vector<double> theta = first_of_row[row];
      for (std::size_t s = row * kRow; s < (row + 1) * kRow; ++s) {
        if (s > row * kRow) theta = fit_from(input, settings[s], theta).theta;
        models[s] = mixture(input.problem, settings[s], theta);
      }
    });
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
    std::vector<RoutedFit> fits(starts_);
    parallel_for(fits.size(), input.num_threads, [&](std::size_t i) {
      Rng rng(input.seed, i);
      fits[i] =
          fit_from(input, s, i == 0 ? spectral.start(s.experts) : spectral.restart(s.experts, rng));
    });
    return std::ranges::min_element(fits, {}, &RoutedFit::objective)->theta;
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
