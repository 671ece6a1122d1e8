#include "learn/problem/constraints.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "data/table/columns.hpp"
#include "otss/base/error.hpp"
#include "otss/base/options.hpp"

namespace otss::internal {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

struct Bounds {
  double lower = -kNoBound;
  double upper = kNoBound;
};

Error refusal(const char* option, const std::string& what) {
  return {ErrorCode::kUsage, fmt::format("--{}: {}", option, what)};
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Bounds parse_sign(std::string_view text, const Error& malformed) {
  if (text == "+") return {0, kNoBound};
  if (text == "-") return {-kNoBound, 0};
  throw malformed;
}

Bounds parse_interval(std::string_view text, const Error& malformed) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text == ":") throw malformed;
  const auto side = [&](std::string_view number, double none) {
    if (number.empty()) return none;
    const std::optional<double> value = finite_number(number);
    if (!value) throw malformed;
    return *value;
  };
  return {side(text.substr(0, colon), -kNoBound), side(text.substr(colon + 1), kNoBound)};
}

// A bound on the weight of a column does not bound the column's effect if the column is also in a
// term, so such a bound is refused. A bound on the weight of the term itself is accepted.
void refuse_columns_of_terms(const char* option, const std::string& factor,
                             const Encoder& encoder) {
  for (const FactorColumn& other : encoder.factors) {
    if (!other.term || std::ranges::count(other.term->columns, factor) == 0) continue;
    throw refusal(option,
                  fmt::format("factor '{0}' is also part of the term '{1}', so a bound on the "
                              "weight of '{0}' does not bound its effect; leave '{0}' out of "
                              "--{2}, or leave out the term",
                              factor, other.name, option));
  }
}

using Read = Bounds (*)(std::string_view text, const Error& malformed);

// Reads the entries of one option and returns the bounds of each factor that they name.
std::map<std::string, Bounds> parse(const char* option, const std::string& list, Read read,
                                    const char* form, const Encoder& encoder) {
  std::vector<std::string> factors;
  for (const FactorColumn& factor : encoder.factors) factors.push_back(factor.name);
  std::map<std::string, Bounds> intervals;
  for (const std::string& entry : split_names(list)) {
    const Error malformed =
        refusal(option, fmt::format("'{}' is not understood; write {}", entry, form));
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string::npos || equals == 0) throw malformed;
    const std::string name = entry.substr(0, equals);
    if (std::ranges::find(factors, name) == factors.end()) {
      const std::string nearest = nearest_name(name, factors);
      throw refusal(option, fmt::format("there is no factor '{}'; {}", name,
                                        nearest.empty() ? "name one of " + list_names(factors)
                                                        : "did you mean '" + nearest + "'?"));
    }
    refuse_columns_of_terms(option, name, encoder);
    const Bounds interval = read(std::string_view(entry).substr(equals + 1), malformed);
    if (interval.lower > interval.upper) {
      throw refusal(
          option,
          fmt::format("'{}': the lower bound is above the upper bound; swap the two numbers",
                      entry));
    }
    if (!intervals.emplace(name, interval).second)
      throw refusal(option, fmt::format("factor '{}' is given twice; name each factor once", name));
  }
  return intervals;
}

}  // namespace

Box parse_bounds(const std::string& sign, const std::string& bounds, const Encoder& encoder) {
  if (sign.empty() && bounds.empty()) return {};
  const auto signs = parse("sign", sign, parse_sign, "FACTOR=+ or FACTOR=-", encoder);
  const auto intervals = parse("bounds", bounds, parse_interval,
                               "FACTOR=LO:HI, where LO and HI are numbers and one of them may be "
                               "left out, as in price=0: or price=:2",
                               encoder);
  Box box;
  for (const FactorColumn& factor : encoder.factors) {
    const std::string& name = factor.name;
    const auto found_sign = signs.find(name);
    const auto found_interval = intervals.find(name);
    const Bounds a = found_sign == signs.end() ? Bounds{} : found_sign->second;
    const Bounds b = found_interval == intervals.end() ? Bounds{} : found_interval->second;
    box.lower.push_back(std::max(a.lower, b.lower));
    box.upper.push_back(std::min(a.upper, b.upper));
    if (box.lower.back() > box.upper.back()) {
      throw Error(
          ErrorCode::kUsage,
          fmt::format("--sign and --bounds contradict each other for factor '{}'; leave this "
                      "factor out of one of these options",
                      name));
    }
  }
  return box;
}

WeightBounds weight_bounds(const Box& own_units, const Encoder& encoder,
                           const OutcomeUnits& units) {
  WeightBounds result{own_units, own_units};
  for (std::size_t j = 0; j < own_units.lower.size(); ++j) {
    const double scale = encoder.factors[j].scale / units.scale;
    result.standardised.lower[j] *= scale;
    result.standardised.upper[j] *= scale;
    // A weight beyond this limit, per standard deviation of its factor, would alone decide every
    // outcome. Its exponential would overflow.
    constexpr double kMostPerDeviation = 1e6;
    if (result.standardised.lower[j] <= kMostPerDeviation &&
        result.standardised.upper[j] >= -kMostPerDeviation)
      continue;
    throw refusal("bounds", fmt::format("the weight of factor '{}' would have to be larger than "
                                        "{:g} per standard deviation of the factor; give bounds in "
                                        "the units of the log",
                                        encoder.factors[j].name, kMostPerDeviation));
  }
  return result;
}

}  // namespace otss::internal
