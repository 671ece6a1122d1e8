#include "learn/estimate/fit_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "learn/deploy/warm_start.hpp"
#include "learn/options/defaults.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

SamplingOptions sampling_options(const FitOptions& options, int threads) {
  SamplingOptions bayes{.seed = options.seed, .num_threads = threads, .device = options.device};
  if (!options.restarts.is_auto()) bayes.starts = options.restarts.value;
  return bayes;
}

SelectionOptions selection_options(const ProblemSize& problem, const FitOptions& options,
                                   int threads) {
  SelectionOptions selection;
  if (fits_segments(options.method)) {
    if (options.experts.is_auto()) {
      for (const int k : defaults::kExperts) {
        if (problem.num_rows >= problem.layout(k).size()) selection.experts.push_back(k);
      }
    } else if (options.experts.value > 1) {
      selection.experts.push_back(options.experts.value);
    }
  }
  selection.folds = options.folds.is_auto() ? defaults::kFolds : options.folds.value;
  selection.validation = options.validation;
  selection.refit = !options.no_refit;
  if (options.treatment == Treatment::kPick) selection.treatment = Treatment::kPick;
  selection.starts = options.restarts.is_auto() ? 1 : options.restarts.value;
  selection.seed = options.seed;
  selection.num_threads = threads;
  selection.repeats = defaults::kRepeats;
  selection.count_is_given = !options.experts.is_auto();
  const bool free_choice = options.experts.is_auto() && options.init == nullptr;
  selection.may_grow = free_choice && selection.experts.size() == defaults::kExperts.size() &&
                       problem.num_contexts <= defaults::kManyColumns;
  selection.smooth = options.method == Method::kAuto && free_choice &&
                     options.deploy == Deploy::kDistilled && !problem.is_bounded &&
                     smooth_is_feasible(problem.num_contexts, problem.num_factors) &&
                     selection.experts.size() > 1;
  return selection;
}

// If --init names a model, takes the number of experts and the starting point from that model.
void continue_from(const Encoder& encoder, const FitOptions& options, SelectionOptions& choices) {
  if (options.init == nullptr) return;
  WarmStart warm = warm_start(*options.init, encoder);
  const int experts = warm.layout.num_experts;
  if (!options.experts.is_auto() && options.experts.value != experts) {
    throw Error(ErrorCode::kUsage, fmt::format("--experts {}: the model that --init names has {} "
                                               "experts; leave out --experts or --init",
                                               options.experts.value, experts));
  }
  choices.experts.clear();
  if (experts > 1) choices.experts.push_back(experts);
  choices.start = std::move(warm.theta);
}

}  // namespace

EstimatePlan plan_estimate(const ProblemSize& problem, const Encoder& encoder,
                           const FitOptions& options, int threads) {
  EstimatePlan plan{.any_count = options.experts.is_auto() && options.init == nullptr,
                    .may_blend = options.deploy == Deploy::kDistilled,
                    .choices = selection_options(problem, options, threads),
                    .sampling = sampling_options(options, threads)};
  if (options.device == Device::kCuda && options.storage == Storage::kHalf) {
    plan.final_gain = kFinalGainInHalf;
    plan.value_noise = kLossNoiseInHalf;
  }
  continue_from(encoder, options, plan.choices);
  plan.sampling.start = plan.choices.start;
  return plan;
}

std::size_t most_parameters(const ProblemSize& problem, const EstimatePlan& plan) {
  const int experts = plan.choices.experts.empty() ? 1 : std::ranges::max(plan.choices.experts);
  return problem.layout(experts).size();
}

}  // namespace otss::internal
