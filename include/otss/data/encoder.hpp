// This header encodes named context columns as numbers. The model file contains the encoder, so
// that new contexts are encoded exactly as the training log was.
//
//   number    (x - center) / scale                       a missing number becomes 0, the mean
//   level     (1[x is the level] - frequency) / 0.5      one column per level seen in training
//   missing   (1[x is missing]   - frequency) / 0.5      only if training had missing values
//   pair      (1[both levels]    - frequency) / 0.5      one column per pair in LevelPairs
//
// An indicator 1[condition] is 1 if the condition is true, and 0 otherwise. For a pair, the
// condition is that a row has both levels of the pair.
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
  // The two fields below describe the training values. They do not change how values are encoded.
  // They serve to check whether a new context resembles the training log.
  //
  // The type that the column had in the training log. It is kUnknown in models of file version 1.
  ValueType type = ValueType::kUnknown;
  // The range of the numbers in training. It is absent for a text column, for a column without any
  // number, and in models of file version 1.
  std::optional<ValueRange> range = {};

  int num_encoded() const;  // the number of encoded columns that this column becomes

  // Returns true if the number is far from the numbers of training: its distance from their range
  // is larger than the width of the range. If the range is not known, the number is far if it is
  // more than 10 standard deviations from the mean. Returns false for a text column and for a
  // column that is not encoded.
  bool is_far(double value) const;
  bool operator==(const ContextColumn&) const = default;
};

// Pairs of levels of two text columns, such as a city and a chain. Each pair becomes one indicator
// column. Without these columns, a model could only add the effect of the city and the effect of
// the chain. But one store may differ from this sum.
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
  // The standard deviation of the factor in training. For a term, the standard deviation is
  // multiplied by Roles::term_shrinkage.
  double scale = 1;
  // This field is set if the factor is a term, and empty if the factor is a column of the table.
  std::optional<Term> term = {};
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

// This policy says what to do with a number that is far from the numbers of training
// (ContextColumn::is_far).
enum class OutsidePolicy {
  kCount,  // count the number, and encode it like any other number
  kError,  // throw an Error(kInput) that names the row, the column and the value
};

// Counts of values that do not resemble the training log.
struct UnknownCounts {
  std::size_t unknown_levels = 0;
  std::size_t unexpected_missing = 0;
  // One count per context column: how many of its numbers were far (ContextColumn::is_far). The
  // vector is empty if no number was far.
  std::vector<std::size_t> far_values = {};

  std::size_t num_far_values() const;    // returns the sum of far_values
  void add(const UnknownCounts& other);  // adds the counts of other rows of the same table
};

// The options for encoding the rows of one table.
struct EncodeOptions {
  UnknownPolicy unknown = UnknownPolicy::kCount;
  std::string_view table = {};  // the name of the table in messages
  // The encoder adds its counts to this struct. Null means that nothing is counted.
  UnknownCounts* counts = nullptr;
  OutsidePolicy outside = OutsidePolicy::kCount;
};

// An Encoder encodes contexts. It also holds the standardisation of the factors.
struct Encoder {
  std::vector<ContextColumn> contexts;
  std::vector<FactorColumn> factors;
  // The rules with which the training log was read.
  ReadingRules reading = ReadingRules{}.settled();
  // Pairs of levels of two text columns. The encoded columns of pairs come after the encoded
  // columns of the contexts.
  std::vector<LevelPairs> level_pairs = {};

  int num_encoded() const;  // returns p, the number of encoded context columns
  bool has_terms() const;   // true if some factor is a term
  // Returns the names of the table's columns that the factors need: first the factors that are
  // columns, then the columns that only terms use.
  std::vector<std::string> own_factors() const;
  // Returns the names of the encoded columns, such as "age", "region=north", "age is missing" or
  // "city=BOSTON & chain=SHAWS".
  std::vector<std::string> encoded_names() const;

  // Returns one request per context column, for TableReader::read. A number column is requested as
  // numbers, a text column as text.
  std::vector<ColumnRequest> context_requests() const;

  // Throws Error(kInput) if the table lacks a context column. Also throws if a column that training
  // read as numbers has another type in the table, such as numbers instead of dates.
  void require_columns(const TableReader& reader) const;

  // Returns `source` with the reading rules of the training log. Two rules of `source` are kept,
  // because the table may be written differently from the log: the decimal sign, if `source` has
  // one, and the words in missing_texts.
  TableSource as_trained(TableSource source) const;

  // Encodes one context. `values` has one value per context column, in order. `encoded` has
  // num_encoded() entries. A number that is infinite or more than 1e15 standard deviations from the
  // mean is an Error(kInput), so that encoded values and their products are finite. `row` is
  // counted from 0 and only names the row in an error. The function allocates memory only if it
  // throws or counts its first far number.
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
