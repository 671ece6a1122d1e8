// Named columns to the numbers a model sees. The encoder travels inside the model, so that training
// and serving cannot differ.
//
//   number    (x - center) / scale                     a missing one is the mean, 0
//   level     (1[x is the level] - frequency) / 0.5    one column per level seen in training
//   missing   (1[x is missing]   - frequency) / 0.5    only where training had missing values
//
// Indicators are centred but not brought to unit sd: on the scale of a balanced binary column a
// penalty means the same for every level, while at unit sd a level seen three times would be nearly
// unpenalised.
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

// The smallest and the largest number seen.
struct ValueRange {
  double lo = 0, hi = 0;
  bool operator==(const ValueRange&) const = default;
};

struct ContextColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  double center = 0;                // numbers only
  double scale = 0;                 // numbers only; 0: constant in training, encodes to nothing
  std::vector<std::string> levels;  // text only, sorted; empty: constant in training
  std::vector<double> level_frequencies;
  bool has_missing = false;
  double missing_frequency = 0;
  // What training saw, for those who ask whether a context is like the log's. Encodes nothing.
  ValueType type = ValueType::kUnknown;  // unknown in models of file version 1
  std::optional<ValueRange> range = {};  // of a number's values; none for texts and where unknown

  int num_encoded() const;
  bool operator==(const ContextColumn&) const = default;
};

struct FactorColumn {
  std::string name;
  double center = 0;
  double scale = 1;
  bool operator==(const FactorColumn&) const = default;
};

// One raw context value: a number (NaN where missing) or a text (data() == nullptr where missing),
// by the column's kind. A text is not copied.
struct RawValue {
  // NOLINTBEGIN(google-explicit-constructor): so that {"age", 41} and {"region", "north"} do
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

enum class UnknownPolicy {
  kCount,  // a level never seen has all its column's indicators at 0; a value missing where none
           // was is the mean
  kError,  // either is an error naming the row, the column and the value
};

struct UnknownCounts {
  std::size_t unknown_levels = 0;
  std::size_t unexpected_missing = 0;
};

// How to read the rows of one table; `counts` grows with every unknown met.
struct EncodeOptions {
  UnknownPolicy unknown = UnknownPolicy::kCount;
  std::string_view table = {};  // for messages
  UnknownCounts* counts = nullptr;
};

struct Encoder {
  std::vector<ContextColumn> contexts;
  std::vector<FactorColumn> factors;
  ReadingRules reading = {};  // by which the log was read

  int num_encoded() const;                         // p
  std::vector<std::string> encoded_names() const;  // "age", "region=north", "age is missing"

  // The context columns as TableReader::read takes them, text as text.
  std::vector<ColumnRequest> context_requests() const;

  // A table to serve, to be read by the rules the log was read by.
  TableSource as_trained(TableSource source) const;

  // One value per context column, in order, to num_encoded() doubles. Does not allocate unless it
  // throws. `row` is 0-based and only used to name the row in an error.
  void encode(std::span<const RawValue> values, std::span<double> encoded,
              const EncodeOptions& options = {}, std::size_t row = 0) const;

  // The same for a chunk whose first columns are the context columns: num_rows × num_encoded(), row
  // after row. Equal to the row-wise encode to the bit.
  void encode(const TableChunk& chunk, std::span<double> encoded,
              const EncodeOptions& options = {}) const;

  // Throws Error(kInput) unless sizes match, numbers are finite, scales and frequencies in range,
  // levels sorted and unique, and no name is given twice.
  void validate() const;

  bool operator==(const Encoder&) const = default;
};

}  // namespace otss
