#include "data/table/parquet/stored_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"
#include "data/table/parquet/time_text.hpp"

namespace otss::internal::parquet {
namespace {

__extension__ using Wide = __int128;

struct NamedType {
  const char* sql;
  StoredType type;
};

StoredType whole(Storage storage, int bits) { return {storage, Meaning::kWholeNumber, bits}; }

StoredType time(bool is_utc, bool is_nanos) {
  return {Storage::kInt64, Meaning::kTime, 0, is_utc, is_nanos};
}

// The types of DuckDB. Parquet has no integers of 128 bits, so they become f64, as DuckDB writes them,
// or text if f64 would change digits.
const std::array<NamedType, 19>& named_types() {
  static const std::array<NamedType, 19> types{{{"BOOLEAN", {Storage::kBoolean}},
                                                {"TINYINT", whole(Storage::kInt32, 8)},
                                                {"SMALLINT", whole(Storage::kInt32, 16)},
                                                {"INTEGER", whole(Storage::kInt32, 32)},
                                                {"BIGINT", whole(Storage::kInt64, 64)},
                                                {"HUGEINT", {Storage::kDouble}},
                                                {"UTINYINT", whole(Storage::kUint32, 8)},
                                                {"USMALLINT", whole(Storage::kUint32, 16)},
                                                {"UINTEGER", whole(Storage::kUint32, 32)},
                                                {"UBIGINT", whole(Storage::kUint64, 64)},
                                                {"UHUGEINT", {Storage::kDouble}},
                                                {"FLOAT", {Storage::kFloat}},
                                                {"DOUBLE", {Storage::kDouble}},
                                                {"DATE", {Storage::kInt32, Meaning::kDate}},
                                                {"TIMESTAMP", time(false, false)},
                                                {"TIMESTAMP_S", time(false, false)},
                                                {"TIMESTAMP_MS", time(false, false)},
                                                {"TIMESTAMP_NS", time(false, true)},
                                                {"TIMESTAMP WITH TIME ZONE", time(true, false)}}};
  return types;
}

// Returns the type DECIMAL(digits, decimals).
std::optional<StoredType> decimal_type(std::string_view sql) {
  constexpr std::string_view kStart = "DECIMAL(";
  constexpr int kDigitsOf32Bits = 9, kDigitsOf64Bits = 18;
  if (!sql.starts_with(kStart)) return std::nullopt;
  StoredType type{Storage::kWide, Meaning::kDecimal};
  const char* const end = sql.data() + sql.size();
  const char* const comma = std::from_chars(sql.data() + kStart.size(), end, type.digits).ptr;
  std::from_chars(std::find(comma, end, ' ') + 1, end, type.decimals);
  if (type.digits <= kDigitsOf64Bits) type.storage = Storage::kInt64;
  if (type.digits <= kDigitsOf32Bits) type.storage = Storage::kInt32;
  return type;
}

template <class Value>
void append_bytes(std::string& bytes, Value value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <class Value>
Value value_at(std::string_view bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

bool append_whole(std::string& bytes, std::string_view text, const StoredType& type) {
  const auto append = [&](auto value, auto smallest, auto largest) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    if (value < smallest || value > largest || is_code(text) || text == "-0") return false;
    width_of(type.storage) == 4 ? append_bytes(bytes, static_cast<std::int32_t>(value))
                                : append_bytes(bytes, static_cast<std::int64_t>(value));
    return true;
  };
  const bool is_signed = type.storage == Storage::kInt32 || type.storage == Storage::kInt64;
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - type.bits);
  if (!is_signed) return append(std::uint64_t{}, std::uint64_t{0}, all);
  const auto largest = static_cast<std::int64_t>(all >> 1U);
  return append(std::int64_t{}, -largest - 1, largest);
}

bool append_floating(std::string& bytes, std::string_view text, Storage storage) {
  if (storage == Storage::kFloat) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    append_bytes(bytes, value);
    return true;
  }
  const std::optional<double> value = parse_number(text);
  if (!value) return false;
  // A number that is too large for f64 stays text; it is not infinite. So does a whole number of
  // which f64 would change digits, as it may be the name of something.
  constexpr double kExact = 9'007'199'254'740'992;  // 2^53
  const bool is_too_large = std::isinf(*value) && text.find_first_of("iI") == text.npos;
  const bool is_whole = text.find_first_not_of("+-0123456789") == text.npos;
  if (is_too_large || (is_whole && std::abs(*value) >= kExact)) return false;
  append_bytes(bytes, *value);
  return true;
}

bool append_decimal(std::string& bytes, std::string_view text, const StoredType& type) {
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  const std::size_t point = std::min(text.find('.'), text.size());
  if (static_cast<int>(text.size() - point) != (type.decimals == 0 ? 0 : type.decimals + 1))
    return false;
  Wide value = 0;
  int num_digits = 0;  // without zeros at the front
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (!is_digit(text[i])) return false;
    value = 10 * value + (text[i] - '0');
    num_digits += value != 0 ? 1 : 0;
    if (num_digits > type.digits) return false;
  }
  if (text.find_first_of("0123456789") == std::string_view::npos) return false;
  if (is_negative) value = -value;
  switch (type.storage) {
    case Storage::kInt32: append_bytes(bytes, static_cast<std::int32_t>(value)); break;
    case Storage::kInt64: append_bytes(bytes, static_cast<std::int64_t>(value)); break;
    default:
      append_bytes(bytes, value);
      std::reverse(bytes.end() - sizeof(value), bytes.end());  // the highest byte comes first
  }
  return true;
}

bool append_time(std::string& bytes, std::string_view text, const StoredType& type) {
  if (type.meaning == Meaning::kDate) {
    const std::optional<std::int32_t> days = parse_days(text);
    if (days) append_bytes(bytes, *days);
    return days.has_value();
  }
  const std::optional<std::int64_t> ticks = parse_time(text, type.is_nanos, type.is_utc);
  if (ticks) append_bytes(bytes, *ticks);
  return ticks.has_value();
}

}  // namespace

StoredType stored_type(const ColumnInfo& column) {
  if (column.kind == ColumnKind::kNumber)
    return column.is_count ? whole(Storage::kInt64, 64) : StoredType{Storage::kDouble};
  const auto is_named = [&](const NamedType& named) { return column.stored_as == named.sql; };
  const auto found = std::ranges::find_if(named_types(), is_named);
  if (found != named_types().end()) return found->type;
  return decimal_type(column.stored_as).value_or(StoredType{Storage::kText});
}

int width_of(Storage storage) {
  switch (storage) {
    case Storage::kBoolean: return 1;
    case Storage::kInt32:
    case Storage::kUint32:
    case Storage::kFloat: return 4;
    case Storage::kInt64:
    case Storage::kUint64:
    case Storage::kDouble: return 8;
    case Storage::kWide: return 16;
    case Storage::kText: return 0;
  }
  return 0;
}

bool append_value(std::string& bytes, std::string_view text, const StoredType& type) {
  switch (type.meaning) {
    case Meaning::kWholeNumber: return append_whole(bytes, text, type);
    case Meaning::kDecimal: return append_decimal(bytes, text, type);
    case Meaning::kDate:
    case Meaning::kTime: return append_time(bytes, text, type);
    case Meaning::kItself: break;
  }
  if (type.storage != Storage::kBoolean) return append_floating(bytes, text, type.storage);
  const bool is_true = equals_lower(text, "true");
  if (is_true || equals_lower(text, "false")) bytes += is_true ? '\1' : '\0';
  return is_true || equals_lower(text, "false");
}

bool has_text(const StoredType& type) {
  return type.meaning == Meaning::kWholeNumber || type.storage == Storage::kBoolean ||
         type.storage == Storage::kDouble;
}

std::string text_of(std::string_view bytes, const StoredType& type) {
  switch (type.storage) {
    case Storage::kBoolean: return bytes.front() == 0 ? "false" : "true";
    case Storage::kInt32: return std::to_string(value_at<std::int32_t>(bytes));
    case Storage::kUint32: return std::to_string(value_at<std::uint32_t>(bytes));
    case Storage::kInt64: return std::to_string(value_at<std::int64_t>(bytes));
    case Storage::kUint64: return std::to_string(value_at<std::uint64_t>(bytes));
    default: break;
  }
  std::string text;
  append_number(text, value_at<double>(bytes));
  return text;
}

}  // namespace otss::internal::parquet
