// This header finds a context column, a level or an indicator among the encoded columns.
#pragma once

#include <optional>

#include "otss/data/encoder.hpp"
#include "otss/model/fit_report.hpp"
#include "report/facts.hpp"

namespace otss::internal {

// Says where a ColumnValue is encoded: the value in the log's units (for an indicator 0 or 1, on
// average a frequency) is center + scale times the encoded entry.
struct EncodedColumn {
  std::size_t position = 0;
  double center = 0, scale = 1;
};

// Returns nothing if the value has no encoded column of its own.
std::optional<EncodedColumn> encoded_column(const Encoder& encoder, const ColumnValue& value);

// Returns the positions of the column and the level that a contrast names. A name that the encoder
// does not have gives a position behind the last one.
ColumnValue value_of_contrast(const Encoder& encoder, const ContextContrast& contrast);

// Returns the standard deviation of an encoded column in training. For a number this is 1. For an
// indicator with frequency f it is 2 sqrt(f (1 - f)), which is 1 for a level of half of the rows.
double encoded_spread(const Encoder& encoder, const ColumnValue& value);

}  // namespace otss::internal
