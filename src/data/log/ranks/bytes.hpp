// Writes values to a string of bytes and reads them back, for messages between ranks.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace otss::internal {

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T)); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(values.size());
    if (!values.empty())
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value{};
    copy(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> values(get<std::size_t>());
    if (!values.empty()) copy(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string text() {
    std::string value(get<std::size_t>(), '\0');
    copy(value.data(), value.size());
    return value;
  }

 private:
  void copy(void* to, std::size_t size) {
    assert(size <= bytes_.size());
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
};

}  // namespace otss::internal
