#include "model/context_contrasts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace otss::internal {
namespace {

// Says which column of the log an encoded column stands for, and for an indicator also which level,
// or that a value is missing. The value in the log's units is center + scale · encoded. For an
// indicator this value is 0 or 1, so its mean is a frequency.
struct ColumnMeaning {
  std::string column, level;
  bool missing = false;
  double center = 0;
  double scale = 1;
};

std::vector<ColumnMeaning> meanings(const Encoder& encoder) {
  constexpr double kIndicatorScale = 0.5;  // docs/adr/0003
  std::vector<ColumnMeaning> result;
  for (const ContextColumn& column : encoder.contexts) {
    if (column.kind == ColumnKind::kNumber && column.scale > 0)
      result.push_back({column.name, "", false, column.center, column.scale});
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      result.push_back(
          {column.name, column.levels[l], false, column.level_frequencies[l], kIndicatorScale});
    }
    if (column.has_missing)
      result.push_back({column.name, "", true, column.missing_frequency, kIndicatorScale});
  }
  return result;
}

}  // namespace

void ContextSums::add(std::span<const double> context, std::span<const double> weights) {
  ++count;
  for (std::size_t j = 0; j < context.size(); ++j) {
    x[j] += context[j];
    squares[j] += context[j] * context[j];
  }
  for (std::size_t j = 0; j < weights.size(); ++j) w[j] += weights[j];
}

std::vector<ContextContrast> context_contrasts(const Encoder& encoder, const ContextSums& members,
                                               const ContextSums& all) {
  const std::vector<ColumnMeaning> columns = meanings(encoder);
  std::vector<ContextContrast> result;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double mean = all.x[j] / all.count;
    const double of_members = members.x[j] / members.count;
    const double deviation = std::sqrt(all.squares[j] / all.count - mean * mean);
    if (!(deviation > 0)) continue;
    const ColumnMeaning& meaning = columns[j];
    result.push_back({meaning.column, meaning.level, meaning.missing,
                      meaning.center + meaning.scale * of_members,
                      meaning.center + meaning.scale * mean, (of_members - mean) / deviation});
  }
  std::ranges::stable_sort(result, std::greater{},
                           [](const ContextContrast& one) { return std::abs(one.difference); });
  return result;
}

}  // namespace otss::internal
