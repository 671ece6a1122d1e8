#include "report/sections/membership_facts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/context_contrasts.hpp"
#include "report/sections/distribution_facts.hpp"
#include "report/sections/named_columns.hpp"
#include "report/sections/segment_facts.hpp"
#include "report/sections/share_effects.hpp"

namespace otss::internal {
namespace {

std::vector<EffectFacts> strongest_effects(const Encoder& encoder, const ShareEffects& effects,
                                           int expert) {
  std::vector<EffectFacts> own;
  for (const ShareEffect& effect : effects.effects)
    own.push_back({effect.value, effect.changes[expert]});
  // A level that few contexts have explains little, although its effect may be large.
  std::ranges::stable_sort(own, std::greater{}, [&](const EffectFacts& one) {
    return std::abs(one.change.value) * encoded_spread(encoder, one.value);
  });
  own.resize(std::min(own.size(), SegmentMembershipFacts::kMostEffects));
  return own;
}

std::vector<ContrastFacts> contrast_facts(const Encoder& encoder,
                                          std::span<const ContextContrast> contrasts) {
  std::vector<ContrastFacts> facts;
  for (const ContextContrast& one : contrasts) {
    const ColumnValue value = value_of_contrast(encoder, one);
    if (encoded_column(encoder, value))
      facts.push_back({value, one.members, one.everybody, one.difference});
  }
  facts.resize(std::min(facts.size(), SegmentMembershipFacts::kMostContrasts));
  return facts;
}

// Returns the contrasts of each expert's members in the sample.
std::vector<std::vector<ContextContrast>> contrasts_of_sample(const ReportInput& input,
                                                              std::span<const int> leading) {
  const std::size_t p = input.fitted.num_contexts();
  ContextSums all(p, 0);
  std::vector<ContextSums> members(input.fitted.num_experts(), all);
  for (std::size_t row = 0; row < leading.size(); ++row) {
    const auto x = std::span(input.contexts.x).subspan(row * p, p);
    all.add(x, {});
    members[leading[row]].add(x, {});
  }
  std::vector<std::vector<ContextContrast>> contrasts;
  for (const ContextSums& own : members) {
    contrasts.push_back(own.count > 0 ? context_contrasts(input.encoder(), own, all)
                                      : std::vector<ContextContrast>());
  }
  return contrasts;
}

std::vector<std::vector<ContextContrast>> contrasts_of_training(const Fitted& fitted) {
  std::vector<std::vector<ContextContrast>> contrasts(fitted.num_experts());
  const std::vector<SegmentProfile>* stored = stored_segments(fitted);
  for (std::size_t k = 0; stored != nullptr && k < contrasts.size(); ++k)
    contrasts[k] = (*stored)[k].contrasts;
  return contrasts;
}

// Returns the columns in which some segment differs from everybody, the most telling first.
std::vector<std::size_t> telling_columns(const MembershipFacts& facts, std::size_t num_columns) {
  std::vector<double> differences(num_columns, 0.0);
  for (const SegmentMembershipFacts& segment : facts.segments) {
    for (const ContrastFacts& one : segment.contrasts)
      differences[one.value.column] =
          std::max(differences[one.value.column], std::abs(one.difference));
  }
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < num_columns; ++c) {
    if (differences[c] > 0) columns.push_back(c);
  }
  std::ranges::stable_sort(columns, std::greater{}, [&](std::size_t c) { return differences[c]; });
  columns.resize(std::min(columns.size(), MembershipFacts::kMostDistributions));
  return columns;
}

}  // namespace

std::optional<MembershipFacts> membership_facts(const ReportInput& input,
                                                const SegmentsFacts& segments,
                                                std::span<const double> sds) {
  if (input.fitted.num_experts() < 2 || input.fitted.num_contexts() == 0) return std::nullopt;
  const ShareEffects effects = share_effects(input, sds);
  const std::vector<int> leading = leading_experts(input);
  const std::vector<std::vector<ContextContrast>> contrasts =
      input.log != nullptr ? contrasts_of_sample(input, leading)
                           : contrasts_of_training(input.fitted);
  MembershipFacts facts{
      .source = input.source(), .sample_rows = effects.sample_rows, .band_rows = effects.band_rows};
  for (const SegmentFacts& segment : segments.list) {
    facts.segments.push_back({segment.expert,
                              strongest_effects(input.encoder(), effects, segment.expert),
                              contrast_facts(input.encoder(), contrasts[segment.expert])});
  }
  if (input.log == nullptr) return facts;
  for (const std::size_t column : telling_columns(facts, input.encoder().contexts.size()))
    facts.distributions.push_back(distribution_facts(input, segments, leading, column));
  return facts;
}

}  // namespace otss::internal
