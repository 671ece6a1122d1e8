#include "learn/methods/hard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "learn/methods/routing/expert_counts.hpp"
#include "learn/methods/routing/sharp_objective.hpp"
#include "learn/mixture/mixture_objective.hpp"
#include "learn/options/defaults.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/problem/spectral_start.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

// Prior standard deviations s of the difference between an expert's linear predictor and that of
// the experts' centre; the penalty strength is J / s^2.
constexpr double kHardSpreads[] = {1.6, 0.8, 0.4, 0.2};

// The sharpness of the gate at each stage of annealing. After any stage except the first, the gate
// may be "cut", that is, made one-hot. An early cut can be better than a late one: with a less
// sharp gate, more rows determine each slope of the gate.
constexpr double kSharpness[] = {1, 2, 4, 16};
constexpr std::size_t kFirstCut = 1;
constexpr std::size_t kCuts = std::size(kSharpness) - kFirstCut;

constexpr int kHardStarts = 2;
constexpr int kPassesPerStage = 60;
constexpr double kStageTolerance = 1e-7;

struct Candidate {
  StandardisedModel model;
  double objective = std::numeric_limits<double>::infinity();
};

struct Path {
  int experts;
  double expert_spread;
};

class Annealing {
 public:
  Annealing(const MethodInput& input, const Path& path)
      : input_(input),
        layout_(input.problem.layout(path.experts)),
        penalty_(input.pooled.penalty),
        engine_(make_engine(input.problem, path.experts, input.num_threads)) {
    penalty_.expert = layout_.num_factors / (path.expert_spread * path.expert_spread);
  }

  std::vector<double> stage(double sharpness, std::span<const double> theta) const {
    MixtureObjective soft(*engine_, penalty_, Precision::kDouble);
    SharpObjective sharp(soft, layout_, sharpness);
    LbfgsOptions options;
    options.max_evaluations = kPassesPerStage;
    options.value_tolerance = kStageTolerance;
    return minimize(sharp, theta, options).x;
  }

  // Makes the gate one-hot and refits the experts, each on the rows that the gate routes to it.
  Candidate cut(std::span<const double> theta) const {
    const StandardisedModel soft = mixture_model(layout_, theta);
    const OneHotGate gate(std::get<LinearGate>(mixture_of(soft).gate()));
    std::vector<double> start(theta.begin(), theta.end());
    // The gate parameters are not used any more, so they are set to 0.
    std::fill_n(start.begin(), layout_.baseline(), 0.0);
    const RoutedFit fit = fit_routed(input_.problem, routed_by(input_.problem, gate), penalty_,
                                     layout_, start, {.num_threads = input_.num_threads});
    return {with_gate(mixture_model(layout_, fit.theta), gate), fit.objective};
  }

 private:
  const MethodInput& input_;
  MixtureLayout layout_;
  Penalty penalty_;
  std::unique_ptr<Engine> engine_;
};

void keep_better(Candidate& best, Candidate candidate) {
  if (candidate.objective < best.objective) best = std::move(candidate);
}

class Hard final : public ComparisonMethod {
 public:
  explicit Hard(const FitOptions& options)
      : experts_(options.experts),
        starts_(options.restarts.is_auto() ? kHardStarts : options.restarts.value) {}

  std::vector<NamedValues> settings(const Problem& problem) const override {
    std::vector<NamedValues> result;
    for (const Path& path : paths(problem)) {
      for (std::size_t cut = 0; cut < kCuts; ++cut) {
        result.push_back({{"experts", path.experts},
                          {"expert_spread", path.expert_spread},
                          {"sharpness", kSharpness[kFirstCut + cut]}});
      }
    }
    return result;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    const std::vector<Path> all = paths(input.log);
    std::vector<StandardisedModel> models(all.size() * kCuts);
    parallel_for(all.size(), input.num_threads, [&](std::size_t path) {
      std::vector<Candidate> best = anneal(input, all[path], kCuts, spectral);
      for (std::size_t cut = 0; cut < kCuts; ++cut)
        models[path * kCuts + cut] = std::move(best[cut].model);
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel& near) const override {
    const Path path = paths(input.log)[setting / kCuts];
    const std::size_t cut = setting % kCuts;
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    Candidate best = anneal(input, path, cut + 1, spectral).back();
    if (path.experts > 1) {
      const Annealing annealing(input, path);
      keep_better(best, annealing.cut(annealing.stage(kSharpness[kFirstCut + cut],
                                                      mixture_parameters(near))));
    }
    return best.model;
  }

 private:
  std::vector<Path> paths(const Problem& problem) const {
    std::vector<Path> result;
    for (const int k : expert_counts(problem, experts_, defaults::kExperts, Method::kHard)) {
      for (const double spread : kHardSpreads) result.push_back({k, spread});
    }
    return result;
  }

  // Returns one model for each of the first `cuts` stages after which the gate may be cut. The
  // model of a stage is the best one over all starts.
  std::vector<Candidate> anneal(const MethodInput& input, const Path& path, std::size_t cuts,
                                const SpectralStart& spectral) const {
    const Annealing annealing(input, path);
    std::vector<std::vector<Candidate>> of_starts(starts_, std::vector<Candidate>(cuts));
    parallel_for(of_starts.size(), input.num_threads, [&](std::size_t i) {
      Rng rng(input.seed, i);
      std::vector<double> theta =
          i == 0 ? spectral.start(path.experts) : spectral.restart(path.experts, rng);
      for (std::size_t s = 0; s < kFirstCut + cuts; ++s) {
        if (path.experts > 1) theta = annealing.stage(kSharpness[s], theta);
        if (s >= kFirstCut) of_starts[i][s - kFirstCut] = annealing.cut(theta);
      }
    });
    std::vector<Candidate> best(cuts);
    for (std::vector<Candidate>& candidates : of_starts) {
      for (std::size_t cut = 0; cut < cuts; ++cut)
        keep_better(best[cut], std::move(candidates[cut]));
    }
    return best;
  }

  AutoCount experts_;
  int starts_;
};

}  // namespace

std::unique_ptr<ComparisonMethod> make_hard(const FitOptions& options) {
  return std::make_unique<Hard>(options);
}

}  // namespace otss::internal
