// The values of a column of a row group, one behind the other, as Parquet's encoding PLAIN has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/parquet/parquet_rows.hpp"
#include "data/table/parquet/stored_type.hpp"

namespace otss::internal::parquet {

// The length of a text has this many bytes.
inline constexpr std::size_t kLengthBytes = 4;

struct PlainValues {
  Storage storage = Storage::kText;
  std::string bytes = {};              // without missing values; each text follows its length
  std::vector<std::size_t> ends = {};  // of texts: where each one ends in `bytes`
  // One entry per row: 1, or 0 if the value is missing. Empty if no value is missing.
  std::vector<std::uint32_t> present = {};
  std::size_t num_rows = 0;

  std::size_t size() const;                          // the number of values that are not missing
  std::string_view operator[](std::size_t i) const;  // a value, with its length if it is a text
  void add(std::string_view value);  // adds a row; a text is given without its length
  void add_missing();                // adds a row whose value is missing
  void add_all(std::string_view values, std::size_t count);  // adds rows of values of fixed width
};

// Returns the values of a column of numbers.
PlainValues number_values(const RowGroup& group, std::size_t column, const StoredType& type);

// Returns the values of a column of texts, converted to a type. Returns nothing if some text cannot
// be converted.
std::optional<PlainValues> converted_values(const RowGroup& group, std::size_t column,
                                            const StoredType& type);

// Returns the texts of a column. A text that can be converted to `type` becomes the usual text for
// its value.
PlainValues text_values(const RowGroup& group, std::size_t column, const StoredType& type);

// Returns the usual texts for values of a type that has_text().
PlainValues as_texts(const PlainValues& values, const StoredType& type);

// The smallest and the largest value. NaN has no place in an order, so a column with a NaN has no
// bounds; neither have long texts and numbers of 128 bits.
struct Bounds {
  std::string smallest, largest;
};
std::optional<Bounds> find_bounds(const PlainValues& values);

// The different values of a column, and for each value its position among them.
struct Dictionary {
  PlainValues values;
  std::vector<std::uint32_t> codes = {};
};

// Returns a dictionary if it needs fewer bytes than the values and has few entries.
std::optional<Dictionary> find_dictionary(const PlainValues& values);

}  // namespace otss::internal::parquet
