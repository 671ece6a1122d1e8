#include "report/sections/segment_facts.hpp"

#include <algorithm>
#include <functional>

#include "base/threads.hpp"
#include "report/sections/mean_weights.hpp"
#include "report/sections/named_columns.hpp"
#include "report/sections/varied_contexts.hpp"

namespace otss::internal {
namespace {

// An interval of a mean is computed from at most this many contexts. More contexts hardly change
// it: the error of the parameters is common to all contexts.
constexpr std::size_t kIntervalRows = 200;

// Returns the mean weights of all contexts.
std::vector<double> average_weights(const ReportInput& input) {
  if (input.log != nullptr) return input.log->mean_weights;
  const std::vector<SegmentProfile>* stored = stored_segments(input.fitted);
  std::vector<double> average(input.fitted.num_factors(), 0.0);
  if (stored == nullptr) {
    // Numbers at their means and levels at their frequencies are encoded as 0.
    input.fitted.weights(std::vector<double>(input.fitted.num_contexts(), 0.0), average);
    return average;
  }
  for (const SegmentProfile& segment : *stored) {
    for (std::size_t j = 0; j < segment.weights.size(); ++j)
      average[j] += segment.members * segment.weights[j];
  }
  return average;
}

// Returns a context for the intervals of a stored segment: the members' means in the columns in
// which they differ most, and the averages of the log in all other columns, which are encoded as 0.
std::vector<double> typical_member(const Encoder& encoder, const SegmentProfile& segment) {
  std::vector<double> x(encoder.num_encoded(), 0.0);
  for (const ContextContrast& contrast : segment.contrasts) {
    const std::optional<EncodedColumn> place =
        encoded_column(encoder, value_of_contrast(encoder, contrast));
    if (place) x[place->position] = (contrast.members - place->center) / place->scale;
  }
  return x;
}

// The contexts of the sample in which each expert leads, at most kIntervalRows for each.
std::vector<std::vector<double>> members_of_sample(const ReportInput& input) {
  std::vector<std::vector<std::size_t>> rows(input.fitted.num_experts());
  const std::vector<int> leading = leading_experts(input);
  for (std::size_t row = 0; row < leading.size(); ++row) rows[leading[row]].push_back(row);
  std::vector<std::vector<double>> members;
  for (const auto& own : rows) {
    std::vector<std::size_t> some;
    for (const std::size_t i : spaced_positions(own.size(), kIntervalRows)) some.push_back(own[i]);
    members.push_back(rows_of(input.contexts.x, input.fitted.num_contexts(), some));
  }
  return members;
}

std::vector<SegmentFacts> segments_of_log(const ReportInput& input) {
  const std::vector<std::vector<double>> members = members_of_sample(input);
  std::vector<SegmentFacts> segments(members.size());
  parallel_for(segments.size(), input.threads, [&](std::size_t k) {
    const SegmentTotals& totals = input.log->segments[k];
    segments[k] = {static_cast<int>(k), totals.share, totals.members, {}};
    if (totals.weights.empty()) return;
    // The sample of a large log may have no member of a rare segment. The average context of the
    // training log, which is encoded as 0, then stands for it.
    const bool sampled = !members[k].empty() || input.fitted.num_contexts() == 0;
    const std::vector<double> average(input.fitted.num_contexts(), 0.0);
    segments[k].weights =
        with_intervals(input.fitted, totals.weights, sampled ? members[k] : average);
  });
  return segments;
}

std::vector<SegmentFacts> segments_of_training(const Fitted& fitted) {
  const std::vector<SegmentProfile>* stored = stored_segments(fitted);
  std::vector<SegmentFacts> segments;
  for (int k = 0; k < fitted.num_experts(); ++k) {
    SegmentFacts one{k, kNotKnown, kNotKnown, {}};
    if (stored != nullptr) {
      const SegmentProfile& profile = (*stored)[k];
      one.share = profile.share;
      one.members = profile.members;
      if (!profile.weights.empty())
        one.weights =
            with_intervals(fitted, profile.weights, typical_member(fitted.encoder(), profile));
    }
    segments.push_back(std::move(one));
  }
  return segments;
}

}  // namespace

const std::vector<SegmentProfile>* stored_segments(const Fitted& fitted) {
  const auto& diagnostics = fitted.report().diagnostics;
  if (!diagnostics || fitted.mixture() == nullptr) return nullptr;
  const std::vector<SegmentProfile>& segments = diagnostics->segments;
  // Another program may have written the model file, so the sizes are checked.
  const bool whole = std::ranges::all_of(segments, [&](const SegmentProfile& one) {
    return std::ssize(one.weights) == fitted.num_factors() || one.weights.empty();
  });
  return whole && std::ssize(segments) == fitted.num_experts() ? &segments : nullptr;
}

std::vector<int> leading_experts(const ReportInput& input) {
  const Mixture* mixture = input.fitted.mixture();
  if (mixture == nullptr) return {};
  const std::size_t rows = input.contexts.num_rows;
  const std::size_t num_experts = mixture->num_experts();
  std::vector<double> alpha(rows * num_experts);
  mixture->shares(rows, input.contexts.x, alpha);
  std::vector<int> leading(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto own = std::span(alpha).subspan(row * num_experts, num_experts);
    leading[row] = static_cast<int>(std::ranges::max_element(own) - own.begin());
  }
  return leading;
}

SegmentsFacts segment_facts(const ReportInput& input) {
  SegmentsFacts facts{.source = input.source()};
  const VariedContexts contexts(input.encoder(), input.contexts, kIntervalRows);
  const std::vector<double> average(input.fitted.num_contexts(), 0.0);
  facts.average = with_intervals(input.fitted, average_weights(input),
                                 input.log != nullptr ? contexts.as_they_are() : average);
  facts.list = input.log != nullptr ? segments_of_log(input) : segments_of_training(input.fitted);
  const std::size_t num_experts = facts.list.size();
  std::erase_if(facts.list, [](const SegmentFacts& one) { return one.share < kLeastShownShare; });
  std::ranges::stable_sort(facts.list, std::greater{}, &SegmentFacts::share);
  facts.in_use = static_cast<int>(facts.list.size());
  // A posterior mean has hundreds of experts, and a page with all of them would tell nothing.
  facts.list.resize(std::min<std::size_t>(facts.list.size(), FitDiagnostics::kMostSegments));
  facts.left_out = static_cast<int>(num_experts - facts.list.size());
  return facts;
}

}  // namespace otss::internal
