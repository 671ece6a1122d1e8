#include "learn/deploy/segments.hpp"

#include <algorithm>

#include "data/log/tile_matrix.hpp"
#include "model/context_contrasts.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kSegmentRows = 20'000;

std::vector<double> mean_weights(const ContextSums& members, const Encoder& encoder,
                                 double outcome_scale) {
  std::vector<double> w;
  for (std::size_t j = 0; j < members.w.size(); ++j)
    w.push_back(members.w[j] / members.count * outcome_scale / encoder.factors[j].scale);
  return w;
}

}  // namespace

std::vector<SegmentProfile> segment_profiles(const LoggedData& log, const SoftMixture& mixture,
                                             double outcome_scale) {
  if (mixture.num_experts() > FitDiagnostics::kMostSegments) return {};
  const std::size_t step = std::max<std::size_t>(1, log.num_rows() / kSegmentRows);
  std::vector<double> x(log.num_contexts());
  std::vector<double> w(log.num_factors());
  std::vector<double> alpha(mixture.num_experts());
  ContextSums all(x.size(), w.size());
  std::vector<ContextSums> members(alpha.size(), all);
  std::vector<SegmentProfile> profiles(alpha.size());
  for (std::size_t i = 0; i < log.num_rows(); i += step) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = log.features().at(i, static_cast<int>(j));
    mixture.shares(x, alpha);
    mixture.weights(x, w);
    all.add(x, w);
    members[std::ranges::max_element(alpha) - alpha.begin()].add(x, w);
    for (std::size_t k = 0; k < alpha.size(); ++k) profiles[k].share += alpha[k];
  }
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    profiles[k].share /= all.count;
    profiles[k].members = members[k].count / all.count;
    if (members[k].count == 0) continue;
    profiles[k].weights = mean_weights(members[k], log.encoder(), outcome_scale);
    profiles[k].contrasts = context_contrasts(log.encoder(), members[k], all);
    profiles[k].contrasts.resize(
        std::min(profiles[k].contrasts.size(), SegmentProfile::kMostContrasts));
  }
  return profiles;
}

}  // namespace otss::internal
