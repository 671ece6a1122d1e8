#include "learn/methods/routing/expert_counts.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "learn/methods/routing/k_means.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

std::vector<int> expert_counts(const Problem& problem, AutoCount asked, std::span<const int> usual,
                               Method method) {
  if (problem.num_contexts == 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("--method {} needs contexts, but --context names no column; name a "
                            "column in --context, or use --method pooled",
                            word(method)));
  const int most = asked.is_auto() ? std::ranges::max(usual) : asked.value;
  const int distinct = distinct_contexts(problem, most);
  if (!asked.is_auto() && distinct < asked.value)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--experts {}: the log has only {} different {}; use --experts {}, or "
                    "name more columns in --context",
                    asked.value, distinct, distinct == 1 ? "context" : "contexts", distinct));
  if (!asked.is_auto()) return {asked.value};
  std::vector<int> counts;
  for (const int k : usual) {
    if (k <= distinct && problem.num_rows() >= problem.layout(k).size()) counts.push_back(k);
  }
  if (counts.empty()) counts.push_back(1);
  return counts;
}

std::vector<double> pooled_experts(const MixtureLayout& layout, const MixtureLayout& pooled_layout,
                                   std::span<const double> pooled) {
  std::vector<double> theta(layout.size(), 0.0);
  std::copy_n(pooled.begin() + pooled_layout.baseline(), layout.num_contexts + 1,
              theta.begin() + layout.baseline());
  for (int k = 0; k < layout.num_experts; ++k) {
    std::copy_n(pooled.begin() + pooled_layout.expert(0), layout.num_factors + 1,
                theta.begin() + layout.expert(k));
  }
  return theta;
}

}  // namespace otss::internal
