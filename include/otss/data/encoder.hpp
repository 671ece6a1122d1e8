// This header encodes named context columns as numbers. The model file contains the encoder, so
// that new contexts are encoded exactly as the training log was.
//
//   number    (x - center) / scale                     a missing number becomes 0, the mean
//   level     (1[x is the level] - frequency) / 0.5    one column per level seen in training
//   missing   (1[x is missing]   - frequency) / 0.5    only where training had missing values
//   pair      (1[both are so]    - frequency) / 0.5    two text columns with many levels each
//
// Indicators are centred and divided by 0.5, the standard deviation of a balanced binary column, so
// that a penalty has the same strength for every level. If an indicator were divided by its own
// standard deviation, the indicator of a level that occurs three times would hardly be penalised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "otss/data/table.hpp"
#include "otss/data/term.hpp"

namespace otss {

// The smallest and the largest number that a column had in training.
struct ValueRange {
  double lo = 0, hi = 0;
  bool operator==(const ValueRange&) const = default;
};

// This struct says how one context column is encoded.
struct ContextColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  double center = 0;  // the mean of the numbers in training; 0 for a text column
  // The standard deviation of the numbers in training. It is 0 for a text column, and for a number
  // column that was constant in training. The numbers of a constant column are not encoded.
  double scale = 0;
  // The different texts that a text column had in training, sorted. The list is empty for a number
  // column. It is also empty for a text column in which all training rows had the same value. Such
  // a column is not encoded.
  std::vector<std::string> levels;
  std::vector<double> level_frequencies;  // the share of the training rows with each level
  bool has_missing = false;               // true if the column had missing values in training
  double missing_frequency = 0;           // the share of the training rows without a value
  // The two fields below describe the training values. The encoder does not use these fields. They
  // serve to check whether a new context resembles the training log.
  //
  // The type that the column had in the training log. It is kUnknown in models of file version 1.
  ValueType type = ValueType::kUnknown;
  // The range of the numbers in training. It is absent for a text column, for a column without any
  // number, and in models of file version 1.
  std::optional<ValueRange> range = {};

  int num_encoded() const;  // the number of encoded columns that this column becomes

  // True if a number is far from those of training: further below or above their range than the
  // range is wide. If the range is not known, further than 10 standard deviations from their mean.
  // Always false for text and for a column that is not encoded.
  bool is_far(double value) const;
  bool operator==(const ContextColumn&) const = default;
};

// Pairs of levels of two text columns, such as a city and a chain. Each pair becomes one indicator
// column. Without these columns, the effects of a city and of a chain could only be added up; a
// store may differ from what its city and its chain suggest.
struct LevelPairs {
  std::size_t first = 0, second = 0;  // the positions of the two columns in Encoder::contexts
  // The pairs that training rows had, sorted. Each entry is the position of a level of the first
  // column, and the position of a level of the second column.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<double> frequencies;  // the share of the training rows with each pair

  int num_encoded() const { return static_cast<int>(pairs.size()); }
  bool operator==(const LevelPairs&) const = default;
};

// A factor z and its standardisation, (z - center) / scale.
struct FactorColumn {
  std::string name;
  double center = 0;  // the mean of the factor in training
  // The standard deviation in training; for a term, multiplied by Roles::term_shrinkage.
  double scale = 1;
  std::optional<Term> term = {};  // the term that the factor is; empty for a column
  bool operator==(const FactorColumn&) const = default;
};

// One raw context value: a number (NaN if missing) or a text (data() == nullptr if missing). The
// RawValue does not copy the text, so the text must outlive the RawValue.
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

// This policy says what to do with an unknown value. An unknown value is a text level that no
// training row had, or a missing value in a column that had no missing value in training.
enum class UnknownPolicy {
  // Count the unknown values. For an unknown level, every indicator 1[x is the level] is 0. An
  // unexpected missing value is encoded as the mean.
  kCount,
  kError,  // throw an Error(kInput) that names the row, the column and the value
};

// What to do with a number that is far from those of training (ContextColumn::is_far).
enum class OutsidePolicy {
  kCount,  // count it and encode it as any other number
  kError,  // throw an Error(kInput) that names the row, the column and the value
};

// How many values there were that training did not have.
struct UnknownCounts {
  std::size_t unknown_levels = 0;
  std::size_t unexpected_missing = 0;
  // Far numbers, one count per context column; empty if there were none.
  std::vector<std::size_t> far_values = {};

  std::size_t num_far_values() const;  // in all columns together
};

// The options for encoding the rows of one table.
struct EncodeOptions {
  UnknownPolicy unknown = UnknownPolicy::kCount;
  std::string_view table = {};  // the name of the table in messages
  // The encoder adds the number of unknown values here. Null means that they are not counted.
  UnknownCounts* counts = nullptr;
  OutsidePolicy outside = OutsidePolicy::kCount;
};

// An Encoder encodes contexts. It also holds the standardisation of the factors.
struct Encoder {
  std::vector<ContextColumn> contexts;
  std::vector<FactorColumn> factors;
  // The rules with which the training log was read.
  ReadingRules reading = ReadingRules{}.settled();
  // The encoded columns of these pairs follow those of the contexts.
  std::vector<LevelPairs> level_pairs = {};

  int num_encoded() const;  // returns p, the number of encoded context columns
  bool has_terms() const;   // true if some factor is a term
  // Returns the names of the log's own factors: the factors that are columns, then the other columns
  // of terms. Without terms, these are all factors.
  std::vector<std::string> own_factors() const;
  // Returns the names of the encoded columns, such as "age", "region=north", "age is missing" or
  // "city=BOSTON & chain=SHAWS".
  std::vector<std::string> encoded_names() const;

  // Returns one request per context column, for TableReader::read. A number column is requested as
  // numbers, a text column as text.
  std::vector<ColumnRequest> context_requests() const;

  // Throws Error(kInput) if the table lacks a context column, or has a column of numbers in another
  // type than training had: a date or true for a number, a number for a date.
  void require_columns(const TableReader& reader) const;

  // Returns `source`, set to be read by the rules by which the training log was read. The decimal
  // sign of source.rules, if it has one, and its words in missing_texts are kept: they are for a
  // table that is written otherwise than the log.
  TableSource as_trained(TableSource source) const;

  // Encodes one context. `values` has one value per context column, in order; `encoded` has
  // num_encoded() entries. A number that is infinite or more than 1e15 standard deviations from the
  // mean is an Error(kInput), so that encoded values and their products are finite. `row` (from 0)
  // only names the row in an error. Does not allocate unless it throws or counts its first far
  // value.
  void encode(std::span<const RawValue> values, std::span<double> encoded,
              const EncodeOptions& options = {}, std::size_t row = 0) const;

  // Encodes all rows of a chunk. The first columns of the chunk are the context columns. `encoded`
  // has num_rows × num_encoded() entries, row after row. The result is bitwise identical to
  // encoding each row by itself.
  void encode(const TableChunk& chunk, std::span<double> encoded,
              const EncodeOptions& options = {}) const;

  // Checks that sizes match, numbers are finite, scales and frequencies are in range, levels are
  // sorted and unique, and every name is unique. Throws Error(kInput) if a check fails.
  void validate() const;

  bool operator==(const Encoder&) const = default;
};

}  // namespace otss
