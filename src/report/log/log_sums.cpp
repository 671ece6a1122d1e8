#include "report/log/log_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/facts.hpp"

namespace otss::internal {

LogSums::LogSums(const Fitted& fitted)
    : num_factors_(fitted.num_factors()),
      weights_(num_factors_, 0.0),
      magnitudes_(num_factors_, 0.0),
      members_(fitted.num_experts(), 0),
      member_weights_(members_.size() * num_factors_, 0.0),
      top_share_(members_.empty() ? 0 : GateUseFacts::kTopShareBins, 0) {}

void LogSums::add(const EvaluatedRows& rows) {
  for (std::size_t i = 0; i * num_factors_ < rows.weights.size(); ++i) {
    const double* w = rows.weights.data() + i * num_factors_;
    for (std::size_t j = 0; j < num_factors_; ++j) {
      weights_[j] += w[j];
      magnitudes_[j] += std::abs(w[j]);
    }
    if (members_.empty()) continue;
    const std::size_t expert = rows.largest_shares[i];
    ++members_[expert];
    for (std::size_t j = 0; j < num_factors_; ++j)
      member_weights_[expert * num_factors_ + j] += w[j];
    const auto bins = static_cast<float>(top_share_.size());
    ++top_share_[std::min(top_share_.size() - 1,
                          static_cast<std::size_t>(rows.top_shares[i] * bins))];
  }
}

void LogSums::finish(const GateUse* gate, LogSummary& summary) const {
  const auto rows = static_cast<double>(summary.rows);
  const auto divided = [](std::vector<double> sums, double by) {
    for (double& sum : sums) sum /= by;
    return sums;
  };
  summary.mean_weights = divided(weights_, rows);
  summary.mean_magnitudes = divided(magnitudes_, rows);
  for (std::size_t k = 0; gate != nullptr && k < members_.size(); ++k) {
    const auto members = static_cast<double>(members_[k]);
    SegmentTotals totals{.share = gate->usage[k], .members = members / rows};
    const auto first = member_weights_.begin() + static_cast<std::ptrdiff_t>(k * num_factors_);
    if (members > 0)
      totals.weights = divided({first, first + static_cast<std::ptrdiff_t>(num_factors_)}, members);
    summary.segments.push_back(std::move(totals));
  }
}

std::vector<double> LogSums::top_share() const {
  const auto rows =
      static_cast<double>(std::accumulate(top_share_.begin(), top_share_.end(), std::size_t{0}));
  std::vector<double> shares;
  for (const std::size_t count : top_share_) shares.push_back(static_cast<double>(count) / rows);
  return shares;
}

}  // namespace otss::internal
