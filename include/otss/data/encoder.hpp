// Encodes named context columns as numbers. The model file contains the encoder, so that new
// contexts are encoded exactly as the training log was.
//
//   number    (x - center) / scale                     a missing number becomes 0, the mean
//   level     (1[x is the level] - frequency) / 0.5    one column per level seen in training
//   missing   (1[x is missing]   - frequency) / 0.5    only where training had missing values
//
// Indicators are centred and divided by 0.5, the standard deviation of a balanced binary column, so
// that a penalty has the same strength for every level. If an indicator were divided by its own
// standard deviation, the indicator of a level that occurs three times would hardly be penalised.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

// The smallest and the largest number that a column had in training.
struct ValueRange {
  double lo = 0, hi = 0;
  bool operator==(const ValueRange&) const = default;
};

// How one context column is encoded.
struct ContextColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  double center = 0;  // the mean in training; for numbers only
  // The standard deviation in training, for numbers only. 0 means that the column was constant in
  // training, so it is not encoded.
  double scale = 0;
  // The sorted texts seen in training, for text only. Empty means that the column was constant in
  // training.
  std::vector<std::string> levels;
  std::vector<double> level_frequencies;  // share of the rows with each level, 0 to 1
  bool has_missing = false;               // true if training had missing values
  double missing_frequency = 0;           // share of the rows with a missing value, 0 to 1
  // The fields below describe the training values. They are not used for encoding, but for checking
  // whether a new context resembles the log.
  ValueType type = ValueType::kUnknown;  // kUnknown in models of file version 1
  // The range of the numbers; absent for text, and if the range is not known.
  std::optional<ValueRange> range = {};

  int num_encoded() const;  // the number of encoded columns that this column becomes
  bool operator==(const ContextColumn&) const = default;
};

// A factor and its standardisation, (z - center) / scale.
struct FactorColumn {
  std::string name;
  double center = 0;  // mean in training
  double scale = 1;   // standard deviation in training
  bool operator==(const FactorColumn&) const = default;
};

// One raw context value: a number (NaN if missing) or a text (data() == nullptr if missing). A text
// is not copied: it must outlive the RawValue.
struct RawValue {
  // NOLINTBEGIN(google-explicit-constructor): {"age", 41} and {"region", "north"} must compile
  template <class Number>
  requires std::is_arithmetic_v<Number> RawValue(Number value)
      : number(static_cast<double>(value)) {}
  RawValue(std::string_view value) : kind(ColumnKind::kText), text(value) {}
  RawValue(const std::string& value) : RawValue(std::string_view(value)) {}
  RawValue(const char* value)
      : RawValue(value == nullptr ? std::string_view() : std::string_view(value)) {}
  // NOLINTEND(google-explicit-constructor)
  ColumnKind kind = ColumnKind::kNumber;
  double number = 0;
  std::string_view text;
};

// What to do with a text level that training did not have, and with a missing value in a column
// that had none in training.
enum class UnknownPolicy {
  // Count these values. An unknown level has 0 for every indicator 1[x is the level], and an
  // unexpected missing value is encoded as the mean.
  kCount,
  kError,  // throw an Error(kInput) that names the row, the column and the value
};

// The number of unknown levels, and the number of unexpected missing values.
struct UnknownCounts {
  std::size_t unknown_levels = 0;
  std::size_t unexpected_missing = 0;
};

// How to encode the rows of one table.
struct EncodeOptions {
  UnknownPolicy unknown = UnknownPolicy::kCount;
  std::string_view table = {};  // the name of the table in messages
  // Unknown values are counted here; null means that they are not counted.
  UnknownCounts* counts = nullptr;
};

// Encodes contexts, and holds the standardisation of the factors.
struct Encoder {
  std::vector<ContextColumn> contexts;
  std::vector<FactorColumn> factors;
  // The rules by which the training log was read.
  ReadingRules reading = {.decimal = '.', .is_settled = true};

  int num_encoded() const;  // p, the number of encoded context columns
  // Such as "age", "region=north", "age is missing".
  std::vector<std::string> encoded_names() const;

  // Returns the requests with which TableReader::read reads the context columns, each one in its
  // kind (number or text).
  std::vector<ColumnRequest> context_requests() const;

  // Returns `source`, set to be read by the rules by which the training log was read. The decimal
  // sign of source.rules, if it has one, and its words in missing_texts are kept: they are for a
  // table that is written otherwise than the log.
  TableSource as_trained(TableSource source) const;

  // Encodes one context. `values` has one value per context column, in order; `encoded` has
  // num_encoded() entries. An infinite number is an Error(kInput). `row` (from 0) only names the
  // row in an error. Does not allocate unless it throws.
  void encode(std::span<const RawValue> values, std::span<double> encoded,
              const EncodeOptions& options = {}, std::size_t row = 0) const;

  // Encodes all rows of a chunk whose first columns are the context columns; `encoded` is
  // num_rows × num_encoded(), row after row. The result is, to the bit, what encoding each row by
  // itself gives.
  void encode(const TableChunk& chunk, std::span<double> encoded,
              const EncodeOptions& options = {}) const;

  // Throws Error(kInput) unless sizes match, numbers are finite, scales and frequencies are in
  // range, levels are sorted and unique, and every name is unique.
  void validate() const;

  bool operator==(const Encoder&) const = default;
};

}  // namespace otss
