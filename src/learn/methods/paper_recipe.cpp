#include "learn/methods/paper_recipe.hpp"

#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "learn/methods/routing/expert_counts.hpp"
#include "learn/mixture/mixture_objective.hpp"
#include "learn/options/defaults.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

// The strengths of the ridge, relative to the mean loss. Penalty strengths are relative to the
// summed loss, so each of these numbers is multiplied by the total weight of the rows.
const std::vector<double> kSmallRidges = {1e-4, 1e-3};
const std::vector<double> kWideRidges = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2};
constexpr int kRecipeStarts = 3;
constexpr double kStartSpread = 0.3;  // standard deviation of a random start's parameters
// Early stopping is a setting. A run may stop after each of these numbers of passes over the rows.
constexpr int kRecipePasses[] = {5, 10, 15, 20, 30, 45, 65, 100, 200};

struct PaperSetting {
  int experts;
  double ridge;
  int start;
  int passes;
};

class PaperRecipe final : public ComparisonMethod {
 public:
  explicit PaperRecipe(const FitOptions& options)
      : ridges_(options.estimator == Estimator::kPaper ? kSmallRidges : kWideRidges),
        experts_(options.experts),
        starts_(options.restarts.is_auto() ? kRecipeStarts : options.restarts.value) {}

  std::vector<NamedValues> settings(const Problem& problem) const override {
    std::vector<NamedValues> result;
    for (const PaperSetting& s : grid(problem)) {
      result.push_back({{"experts", s.experts},
                        {"ridge", s.ridge},
                        {"start", s.start + 1},
                        {"passes", s.passes}});
    }
    return result;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const std::vector<PaperSetting> all = grid(input.log);
    std::vector<StandardisedModel> models(all.size());
    constexpr std::size_t kSettings = std::size(kRecipePasses);  // of the same run
    parallel_for(all.size() / kSettings, input.num_threads, [&](std::size_t number) {
      Minimum run;
      for (std::size_t s = number * kSettings; s < (number + 1) * kSettings; ++s) {
        run = go_on(input, all[s], std::move(run));
        models[s] = mixture_model(input.problem.layout(all[s].experts), run.x);
      }
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel&) const override {
    const PaperSetting s = grid(input.log)[setting];
    return mixture_model(input.problem.layout(s.experts), go_on(input, s, {}).x);
  }

 private:
  std::vector<PaperSetting> grid(const Problem& problem) const {
    std::vector<PaperSetting> result;
    for (const int k : expert_counts(problem, experts_, defaults::kExperts, Method::kOtss)) {
      for (const double ridge : ridges_) {
        for (int start = 0; start < starts_; ++start) {
          for (const int passes : kRecipePasses) result.push_back({k, ridge, start, passes});
        }
      }
    }
    return result;
  }

  static std::vector<double> random_start(const MethodInput& input, const PaperSetting& s) {
    Rng rng(input.seed, s.start);
    std::vector<double> theta(input.problem.layout(s.experts).size());
    for (double& t : theta) t = kStartSpread * rng.normal();
    return theta;
  }

  // Continues a run until it has made s.passes passes over the rows. A new run begins at its random
  // start; a continued run keeps its L-BFGS memory.
  static Minimum go_on(const MethodInput& input, const PaperSetting& s, Minimum run) {
    check_interrupt();
    const double strength = s.ridge * input.problem.rows.total();
    const Penalty penalty{.gate = strength,
                          .gate_intercept = strength,
                          .expert = strength,
                          .center = strength,
                          .baseline = strength};
    const auto engine = make_engine(input.problem, s.experts, input.num_threads);
    MixtureObjective objective(*engine, penalty, Precision::kDouble);
    const int done = run.evaluations;
    if (done == 0) run.x = random_start(input, s);
    LbfgsOptions options;
    options.max_evaluations = std::max(1, s.passes - done);
    options.pairs = std::move(run.pairs);
    run = minimize(objective, run.x, options);
    run.evaluations += done;
    return run;
  }

  std::vector<double> ridges_;
  AutoCount experts_;
  int starts_;
};

}  // namespace

std::unique_ptr<ComparisonMethod> make_paper_recipe(const FitOptions& options) {
  return std::make_unique<PaperRecipe>(options);
}

}  // namespace otss::internal
