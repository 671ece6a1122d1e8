#include "learn/estimate/large_log.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/options/defaults.hpp"

namespace otss::internal {
namespace {

// The sample's share of the work, in the progress that is shown.
constexpr double kChoosingShare = 0.8;

struct JudgedRows {
  const TakenRows& rows;  // the rows that judge
  int num_threads;

  std::vector<double> predictors(const MixtureLayout& layout, std::span<const double> theta) const {
    std::vector<double> eta(rows.problem.num_rows());
    linear_predictors(*rows.problem.features, layout, theta, num_threads, eta);
    return eta;
  }
  std::vector<double> losses(std::span<const double> eta) const {
    return row_losses(rows.problem, {1, std::vector<std::uint8_t>(eta.size(), 0)}, eta);
  }
  MeanAndError mean(std::span<const double> per_row) const {
    return mean_and_error(rows.problem, per_row, rows.log->groups());
  }
};

// Replaces the held-out losses and the gain of `selection` by those of the rows that judge. `eta`
// are the predictions of the model.
void judge_gain_of(const JudgedRows& judged, const PooledFit& pooled, std::span<const double> eta,
                   Selection& selection) {
  const std::vector<double> losses = judged.losses(eta);
  std::vector<double> gains = judged.losses(judged.predictors(pooled.fit.layout, pooled.fit.theta));
  selection.pooled_loss = judged.mean(gains).mean;
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] -= losses[i];
  selection.validation_loss = judged.mean(losses).mean;
  selection.gain = judged.mean(gains);
  selection.split = fmt::format(
      "a second sample of {} rows, predicted by the model of the first sample{}; this is "
      "conservative, because the model of all rows is better",
      judged.rows.log->num_rows(),
      judged.rows.log->groups().empty() ? "" : ", groups kept together");
}

// Replaces what `selection` says about held-out rows of the first sample by what holds for the rows
// that judge. The model is given by `layout` and `theta`. If no mixture had a gain (`no_gain`), the
// losses of the first sample remain, because they say by how much; the pooled model has no gain to
// judge.
void judge(const JudgedRows& judged, const PooledFit& pooled, const MixtureLayout& layout,
           std::span<const double> theta, bool no_gain, Selection& selection) {
  selection.held_out_eta = judged.predictors(layout, theta);
  if (no_gain) {
    selection.split += ", of the sample";
  } else {
    judge_gain_of(judged, pooled, selection.held_out_eta, selection);
  }
}

// Returns as many rows of the sample as the preconditioner needs.
Problem rows_for_curvature(const Problem& sample, const MixtureLayout& layout) {
  return subsample(sample, std::max(defaults::kSubsampleRows,
                                    defaults::kSubsampleRowsPerParameter * layout.size()));
}

std::size_t row_limit(const FitOptions& options) {
  return options.large_log_rows > 0 ? options.large_log_rows : defaults::kLargeLogRows;
}

}  // namespace

bool is_large(std::size_t num_counting, const FitOptions& options) {
  return num_counting > row_limit(options);
}

bool is_large_log(const LoggedData& log, const FitOptions& options) {
  return is_large(num_counting_rows(log), options);
}

std::optional<SampleOptions> large_log_sample_options(std::size_t num_counting,
                                                      const FitOptions& options,
                                                      std::size_t num_parameters) {
  if (!is_large(num_counting, options)) return std::nullopt;
  const auto share = [](std::size_t rows) {
    return static_cast<std::size_t>(defaults::kSampleShare * static_cast<double>(rows));
  };
  return SampleOptions{
      .rows = std::min(std::max(share(row_limit(options)),
                                defaults::kSubsampleRowsPerParameter * num_parameters),
                       share(num_counting)),
      .late_share = options.validation > 0 ? options.validation : defaults::kHeldOutShare,
      .seed = options.seed,
      .fewest_groups = defaults::kFewestSampledGroups};
}

std::optional<RowSamples> large_log_samples(const LoggedData& log, const FitOptions& options,
                                            std::size_t num_parameters) {
  const auto sample = large_log_sample_options(num_counting_rows(log), options, num_parameters);
  return sample ? draw_samples(log, *sample) : std::nullopt;
}

Estimate estimate_through_sample(const LargeProblem& problem, const TakenRows& first,
                                 const TakenRows& second, const PooledFit& pooled,
                                 const EstimatePlan& plan,
                                 const std::function<void(double)>& progress) {
  const int threads = plan.choices.num_threads;
  Estimate found = estimate_mixture(*first.log, first.problem, pooled, plan, [&](double done) {
    if (progress) progress(kChoosingShare * done);
  });
  const MixtureLayout layout = found.distilled.layout;
  // A penalised fit of the sample is a better start than the distilled mixture, because it is the
  // optimum of nearly the same objective.
  const Member* member = heaviest_fit(found, layout.num_experts);
  const std::vector<double> start = member != nullptr ? member->theta : found.distilled.theta;
  const StageTimer timer(Stage::kFit);
  const bool no_gain = layout.num_experts == 1 && !plan.choices.experts.empty();
  const Penalty penalty = deployed_penalty(found, pooled, layout.num_experts);
  parallel_for(2, threads, [&](std::size_t task) {
    if (task == 0) {
      const auto engine = make_rows_engine(problem.rows(), layout);
      found.distilled.theta =
          finish_fit(*engine, rows_for_curvature(first.problem, layout), penalty, start,
                     {.num_threads = threads,
                      .least_gain = plan.final_gain,
                      .value_noise = plan.value_noise})
              .theta;
    } else {
      judge({second, threads}, pooled, layout, start, no_gain, found.average.selection);
    }
  });
  found.chosen_on = first.problem.num_rows();
  found.why += ", then fitted to all rows";
  if (progress) progress(1);
  return found;
}

}  // namespace otss::internal
