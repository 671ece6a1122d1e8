// Turns values into bytes and back, for messages between processes of the same program.
// The bytes are not a file format: both processes have the same version on the same kind of machine.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace otss::internal {

template <class Value>
concept PlainValue = std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>;

class MessageWriter {
 public:
  template <PlainValue Value>
  void put(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(Value));
  }
  void put(std::string_view text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <PlainValue Value>
  void put(std::span<const Value> values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  template <PlainValue Value>
  void put(const std::vector<Value>& values) {
    put(std::span<const Value>(values));
  }
  void put(const std::vector<std::string>& texts) {
    put(texts.size());
    for (const std::string& text : texts) put(text);
  }
  std::string take() && { return std::move(bytes_); }  // returns the bytes written so far

 private:
  std::string bytes_;
};

// Reads values in the order in which they were written. Bytes that end too early are a
// std::runtime_error, because only a damaged message can cause it.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <PlainValue Value>
  void get(Value& value) {
    const std::string_view bytes = next(sizeof(Value));
    std::memcpy(&value, bytes.data(), sizeof(Value));
  }
  void get(std::string& text) { text = next(count(1)); }
  template <PlainValue Value>
  void get(std::vector<Value>& values) {
    values.resize(count(sizeof(Value)));
    const std::string_view bytes = next(values.size() * sizeof(Value));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  void get(std::vector<std::string>& texts) {
    texts.resize(count(sizeof(std::size_t)));
    for (std::string& text : texts) get(text);
  }
  std::string_view rest() const { return rest_; }  // the bytes that have not been read yet
  template <class Value>
  Value get() {
    Value value{};
    get(value);
    return value;
  }

 private:
  // Returns the number of values that follow, each of which has at least `size` bytes.
  std::size_t count(std::size_t size) {
    std::size_t number = 0;
    get(number);
    if (number > rest_.size() / size) throw std::runtime_error("a message ends too early");
    return number;
  }
  std::string_view next(std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("a message ends too early");
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest_;
};

}  // namespace otss::internal
