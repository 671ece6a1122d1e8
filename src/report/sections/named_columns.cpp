#include "report/sections/named_columns.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

constexpr double kIndicatorScale = 0.5;  // docs/adr/0003

std::size_t position_of(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) - texts.begin();
}

}  // namespace

std::optional<EncodedColumn> encoded_column(const Encoder& encoder, const ColumnValue& value) {
  if (value.column >= encoder.contexts.size()) return std::nullopt;
  std::size_t first = 0;
  for (std::size_t c = 0; c < value.column; ++c) first += encoder.contexts[c].num_encoded();
  const ContextColumn& column = encoder.contexts[value.column];
  if (value.missing) {
    if (!column.has_missing) return std::nullopt;
    return EncodedColumn{first + column.num_encoded() - 1, column.missing_frequency,
                         kIndicatorScale};
  }
  if (value.level) {
    if (*value.level >= column.levels.size()) return std::nullopt;
    return EncodedColumn{first + *value.level, column.level_frequencies[*value.level],
                         kIndicatorScale};
  }
  if (column.kind != ColumnKind::kNumber || !(column.scale > 0)) return std::nullopt;
  return EncodedColumn{first, column.center, column.scale};
}

ColumnValue value_of_contrast(const Encoder& encoder, const ContextContrast& contrast) {
  const auto& columns = encoder.contexts;
  ColumnValue value;
  value.column =
      std::ranges::find(columns, contrast.column, &ContextColumn::name) - columns.begin();
  value.missing = contrast.missing;
  if (value.column < columns.size() && columns[value.column].kind == ColumnKind::kText &&
      !contrast.missing)
    value.level = position_of(columns[value.column].levels, contrast.level);
  return value;
}

double encoded_spread(const Encoder& encoder, const ColumnValue& value) {
  const std::optional<EncodedColumn> place = encoded_column(encoder, value);
  if (!place) return 0;
  if (!value.level && !value.missing) return 1;
  return std::sqrt(place->center * (1 - place->center)) / kIndicatorScale;
}

}  // namespace otss::internal
