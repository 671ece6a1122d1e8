#include "data/table/parquet/plain_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

#include "data/table/parquet/bit_runs.hpp"

namespace otss::internal::parquet {
namespace {

template <class Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// Without a way out of the loop, so that the processor compares several numbers at the same time.
bool has_nan(std::span<const double> numbers) {
  bool found = false;
  for (const double number : numbers) found |= number != number;
  return found;
}

template <class Value>
std::optional<Bounds> bounds_of_numbers(std::string_view bytes) {
  // The processor compares as many numbers at the same time.
  constexpr std::size_t kLanes = 8;
  using Block = std::array<Value, kLanes>;
  Value first{};
  std::memcpy(&first, bytes.data(), sizeof(first));
  Block smallest, largest, block;
  for (Block* filled : {&smallest, &largest, &block}) filled->fill(first);
  bool is_ordered = true;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(block)) {
    std::memcpy(block.data(), bytes.data() + at, std::min(sizeof(block), bytes.size() - at));
    for (std::size_t i = 0; i < kLanes; ++i) {
      is_ordered &= block[i] == block[i];
      smallest[i] = block[i] < smallest[i] ? block[i] : smallest[i];
      largest[i] = block[i] > largest[i] ? block[i] : largest[i];
    }
  }
  if (!is_ordered) return std::nullopt;
  Value low = *std::ranges::min_element(smallest), high = *std::ranges::max_element(largest);
  if constexpr (std::is_floating_point_v<Value>) {
    if (low == 0) low = -Value{0};  // -0 and 0 compare as equal
    if (high == 0) high = Value{0};
  }
  return Bounds{bytes_of(low), bytes_of(high)};
}

std::optional<Bounds> bounds_of_texts(const PlainValues& values) {
  constexpr std::size_t kLongest = 64;
  const auto text = [&](std::size_t i) { return values[i].substr(kLengthBytes); };
  std::string_view smallest = text(0), largest = text(0);
  for (std::size_t i = 1; i < values.size(); ++i) {
    smallest = std::min(smallest, text(i));
    largest = std::max(largest, text(i));
  }
  if (std::max(smallest.size(), largest.size()) > kLongest) return std::nullopt;
  return Bounds{std::string(smallest), std::string(largest)};
}

// The positions of the entries of a dictionary, by hash.
class Entries {
 public:
  Entries() : slots_(kSlots, 0) {}

  // Returns the code of a value. A new value is added to `entries`.
  std::uint32_t code(std::string_view value, PlainValues& entries) {
    const std::size_t hash = std::hash<std::string_view>()(value);
    std::size_t slot = hash % kSlots;
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      if (entries[slots_[slot] - 1] == value) return slots_[slot] - 1;
    }
    entries.add(value.substr(width_of(entries.storage) == 0 ? kLengthBytes : 0));
    slots_[slot] = static_cast<std::uint32_t>(entries.size());
    return slots_[slot] - 1;
  }

 private:
  static constexpr std::size_t kSlots = 8192;  // more than twice the most entries of a row group
  std::vector<std::uint32_t> slots_;           // the code plus one; 0 means empty
};

}  // namespace

std::size_t PlainValues::size() const {
  return width_of(storage) == 0 ? ends.size() : bytes.size() / width_of(storage);
}

std::string_view PlainValues::operator[](std::size_t i) const {
  const std::size_t width = width_of(storage);
  if (width > 0) return std::string_view(bytes).substr(i * width, width);
  const std::size_t begin = i == 0 ? 0 : ends[i - 1];
  return std::string_view(bytes).substr(begin, ends[i] - begin);
}

void PlainValues::add(std::string_view value) {
  ++num_rows;
  if (!present.empty()) present.push_back(1);
  const bool is_text = width_of(storage) == 0;
  if (is_text) bytes += bytes_of(static_cast<std::uint32_t>(value.size()));
  bytes += value;
  if (is_text) ends.push_back(bytes.size());
}

void PlainValues::add_missing() {
  if (present.empty()) present.assign(num_rows, 1);
  present.push_back(0);
  ++num_rows;
}

void PlainValues::add_all(std::string_view values, std::size_t count) {
  bytes += values;
  num_rows += count;
  if (!present.empty()) present.resize(num_rows, 1);
}

PlainValues number_values(const RowGroup& group, std::size_t column, const StoredType& type) {
  PlainValues values{.storage = type.storage};
  values.bytes.reserve(group.num_rows * sizeof(double));
  const auto add_all = [&](const auto& numbers) {
    values.add_all({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)},
                   numbers.size());
  };
  group.for_each_part(column, [&](std::span<const double> numbers) {
    if (type.storage == Storage::kInt64) {
      add_all(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    } else if (!has_nan(numbers)) {
      add_all(numbers);
    } else {
      for (const double number : numbers)
        std::isnan(number) ? values.add_missing() : values.add(bytes_of(number));
    }
  });
  return values;
}

std::optional<PlainValues> converted_values(const RowGroup& group, std::size_t column,
                                            const StoredType& type) {
  PlainValues values{.storage = type.storage};
  std::string value;
  bool are_converted = true;
  group.for_each_text(column, [&](std::string_view text) {
    if (text.data() == nullptr) return values.add_missing();
    value.clear();
    are_converted = are_converted && append_value(value, text, type);
    values.add(value);
  });
  if (!are_converted) return std::nullopt;
  return values;
}

PlainValues text_values(const RowGroup& group, std::size_t column, const StoredType& type) {
  PlainValues values;
  std::string value;
  group.for_each_text(column, [&](std::string_view text) {
    if (text.data() == nullptr) return values.add_missing();
    value.clear();
    const bool is_converted = has_text(type) && append_value(value, text, type);
    values.add(is_converted ? text_of(value, type) : text);
  });
  return values;
}

PlainValues as_texts(const PlainValues& values, const StoredType& type) {
  PlainValues texts;
  std::size_t next = 0;
  for (std::size_t row = 0; row < values.num_rows; ++row) {
    const bool is_present = values.present.empty() || values.present[row] != 0;
    is_present ? texts.add(text_of(values[next++], type)) : texts.add_missing();
  }
  return texts;
}

std::optional<Bounds> find_bounds(const PlainValues& values) {
  if (values.size() == 0) return std::nullopt;
  switch (values.storage) {
    case Storage::kBoolean: return bounds_of_numbers<std::uint8_t>(values.bytes);
    case Storage::kInt32: return bounds_of_numbers<std::int32_t>(values.bytes);
    case Storage::kUint32: return bounds_of_numbers<std::uint32_t>(values.bytes);
    case Storage::kInt64: return bounds_of_numbers<std::int64_t>(values.bytes);
    case Storage::kUint64: return bounds_of_numbers<std::uint64_t>(values.bytes);
    case Storage::kFloat: return bounds_of_numbers<float>(values.bytes);
    case Storage::kDouble: return bounds_of_numbers<double>(values.bytes);
    case Storage::kText: return bounds_of_texts(values);
    case Storage::kWide: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Dictionary> find_dictionary(const PlainValues& values) {
  // Most columns of computed numbers have only different values. It shows after a few of them.
  constexpr std::size_t kFew = 256;
  constexpr std::size_t kMostEntries = 1024, kFewestRepeats = 16;
  Dictionary dictionary{.values = {.storage = values.storage}};
  Entries entries;
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) {
    dictionary.codes.push_back(entries.code(values[i], dictionary.values));
    const std::size_t num_entries = dictionary.values.size();
    if (i + 1 == kFew && num_entries == kFew) return std::nullopt;
    if (num_entries > kMostEntries + i / kFewestRepeats) return std::nullopt;
  }
  if (count == 0) return std::nullopt;
  const auto bits =
      static_cast<std::size_t>(bits_for(static_cast<std::uint32_t>(dictionary.values.size() - 1)));
  if (dictionary.values.bytes.size() + bits * count / kBitsOfByte >= values.bytes.size())
    return std::nullopt;
  return dictionary;
}

}  // namespace otss::internal::parquet
