#include "decide/milp/plan_number.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "data/table/letter_case.hpp"

namespace otss::internal {

std::optional<double> plan_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value)) return std::nullopt;
  return value;
}

double plan_bound(double value) {
  constexpr double kSolversInfinity = 1e30;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(std::abs(value) >= kSolversInfinity)) return value;
  return value < 0 ? -kInfinity : kInfinity;
}

std::optional<double> plan_bound(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool negative = text.starts_with('-');
  const std::string_view size = negative || text.starts_with('+') ? text.substr(1) : text;
  const std::string word = lower_case(size);
  if (word == "inf" || word == "infinity") return negative ? -kInfinity : kInfinity;
  const std::optional<double> value = plan_number(text);
  return value ? std::optional(plan_bound(*value)) : std::nullopt;
}

}  // namespace otss::internal
