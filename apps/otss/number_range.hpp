// This header limits the value of a numeric option to a range.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>

namespace otss::app {

// Returns a check that accepts the numbers from `lo` to `hi`. CLI::Range is not used, because
// CLI::Range accepts nan too.
inline CLI::Validator number_range(double lo, double hi) {
  const auto check = [lo, hi](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= lo && value <= hi) return "";
    return fmt::format("'{}' is not a number from {} to {}", text, lo, hi);
  };
  return {check, fmt::format("[{} - {}]", lo, hi)};
}

}  // namespace otss::app
