// The types in which columns are stored in a Parquet file.
#pragma once

#include <string>
#include <string_view>

#include "otss/data/table.hpp"

namespace otss::internal::parquet {

// How a value is stored.
enum class Storage { kBoolean, kInt32, kUint32, kInt64, kUint64, kFloat, kDouble, kWide, kText };

// What a stored number means.
enum class Meaning { kItself, kWholeNumber, kDate, kTime, kDecimal };

struct StoredType {
  Storage storage;
  Meaning meaning = Meaning::kItself;
  int bits = 0;                  // of a whole number
  bool is_utc = false;           // a time in UTC, not a local one
  bool is_nanos = false;         // a time in nanoseconds, not in microseconds
  int digits = 0, decimals = 0;  // of a decimal; `digits` includes the decimals
};

// Returns the type of a column of numbers, or of a column of texts whose values ColumnInfo::stored_as
// tells. An SQL type without a counterpart is text.
StoredType stored_type(const ColumnInfo& column);

// Returns the number of bytes of a stored value; 0 for texts, whose length varies. Booleans have one
// byte here, although the file has eight of them in a byte.
int width_of(Storage storage);

// Appends the bytes of a value that is written as DuckDB writes its type as text. Returns false if
// the text is no value of the type, or if another text would be more usual for a whole number: 007
// would lose its zeros.
bool append_value(std::string& bytes, std::string_view text, const StoredType& type);

// Returns true if text_of() can restore a text from its value.
bool has_text(const StoredType& type);

// Returns the shortest usual text for the bytes of a value.
std::string text_of(std::string_view bytes, const StoredType& type);

}  // namespace otss::internal::parquet
