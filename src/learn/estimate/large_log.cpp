#include "learn/estimate/large_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/options/defaults.hpp"

namespace otss::internal {
namespace {

// The sample's share of the work, in the progress that is shown.
constexpr double kChoosingShare = 0.8;

struct JudgedRows {
  const LoggedData& log;
  const std::vector<std::size_t>& rows;  // the rows of the log that judge
  Problem problem;                       // the same rows
  int num_threads;

  std::vector<double> predictors(const MixtureLayout& layout, std::span<const double> theta) const {
    std::vector<double> eta(problem.num_rows());
    linear_predictors(*problem.features, layout, theta, num_threads, eta);
    return eta;
  }
  std::vector<double> losses(std::span<const double> eta) const {
    return row_losses(problem, {1, std::vector<std::uint8_t>(rows.size(), 0)}, eta);
  }
  MeanAndError mean(std::span<const double> per_row) const {
    std::vector<std::uint32_t> groups;
    for (const std::size_t row : rows) {
      if (!log.groups().empty()) groups.push_back(log.groups()[row]);
    }
    return mean_and_error(problem, per_row, groups);
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
      judged.rows.size(), judged.log.groups().empty() ? "" : ", groups kept together");
}

// Replaces what `selection` says about held-out rows of the first sample by what holds for the rows
// that judge. The model is given by `layout` and `theta`. If no mixture had a gain (`no_gain`), the
// losses of the first sample remain, because they say by how much; the pooled model has no gain to
// judge.
void judge(const JudgedRows& judged, const PooledFit& pooled, const MixtureLayout& layout,
           std::span<const double> theta, bool no_gain, Selection& selection) {
  const std::vector<double> eta = judged.predictors(layout, theta);
  selection.held_out_eta.assign(judged.log.num_rows(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < eta.size(); ++i) selection.held_out_eta[judged.rows[i]] = eta[i];
  if (no_gain) {
    selection.split += ", of the sample";
  } else {
    judge_gain_of(judged, pooled, eta, selection);
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

bool is_large_log(const LoggedData& log, const FitOptions& options) {
  return num_counting_rows(log) > row_limit(options);
}

std::optional<RowSamples> large_log_samples(const LoggedData& log, const FitOptions& options,
                                            std::size_t num_parameters) {
  if (!is_large_log(log, options)) return std::nullopt;
  const auto share = [](std::size_t rows) {
    return static_cast<std::size_t>(defaults::kSampleShare * static_cast<double>(rows));
  };
  const std::size_t rows = std::min(
      std::max(share(row_limit(options)), defaults::kSubsampleRowsPerParameter * num_parameters),
      share(num_counting_rows(log)));
  const double late = options.validation > 0 ? options.validation : defaults::kHeldOutShare;
  return draw_samples(log, {rows, late, options.seed});
}

Estimate estimate_through_sample(const LoggedData& log, const Problem& problem,
                                 const PooledFit& pooled, const EstimatePlan& plan,
                                 const RowSamples& samples,
                                 const std::function<void(double)>& progress) {
  const int threads = plan.choices.num_threads;
  const Problem sample = rows_of(problem, samples.first);
  Estimate found =
      estimate_mixture(rows_of(log, samples.first), sample, pooled, plan, [&](double done) {
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
      found.distilled.theta = finish_fit(problem, rows_for_curvature(sample, layout), penalty,
                                         layout, start, {threads, true})
                                  .theta;
    } else {
      judge({log, samples.second, rows_of(problem, samples.second), threads}, pooled, layout, start,
            no_gain, found.average.selection);
    }
  });
  found.chosen_on = sample.num_rows();
  found.why += ", then fitted to all rows";
  if (progress) progress(1);
  return found;
}

}  // namespace otss::internal
