#include "report/log/factor_match.hpp"

namespace otss::internal {

FactorMatch::FactorMatch(const FeasibleSet& feasible) : feasible_(feasible) {
  if (!feasible.is_shared()) return;  // a context has few candidates, so no index is needed
  for (std::size_t row = 0; row < feasible.size(); ++row) {
    const auto [entry, is_new] = row_of_.try_emplace(key(feasible.factors_of(row)), row);
    if (!is_new) entry->second.reset();
  }
}

std::optional<std::size_t> FactorMatch::find(std::string_view context,
                                             std::span<const double> factors) const {
  const std::string wanted = key(factors);
  if (feasible_.is_shared()) {
    const auto entry = row_of_.find(wanted);
    return entry == row_of_.end() ? std::nullopt : entry->second;
  }
  std::optional<std::size_t> found;
  for (const std::size_t row : feasible_.of(context).rows()) {
    if (key(feasible_.factors_of(row)) != wanted) continue;
    if (found) return std::nullopt;
    found = row;
  }
  return found;
}

std::string FactorMatch::key(std::span<const double> factors) {
  std::string key;
  for (const double factor : factors) {
    // Adding 0 turns -0 into 0, which has other bits.
    const float value = static_cast<float>(factor) + 0.0F;
    key.append(reinterpret_cast<const char*>(&value), sizeof value);  // NOLINT(*-reinterpret-cast)
  }
  return key;
}

}  // namespace otss::internal
