// What every fuzz target checks in the same way. A broken promise ends the process, so that the
// fuzzer keeps the input.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"

namespace otss::fuzz {

inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline void require_finite(std::span<const double> values, const char* promise) {
  for (const double value : values) require(std::isfinite(value), promise);
}

// Runs `read` on an input. Returns true if the input was accepted. The only other answer that is
// allowed is an Error of one printable line that blames the input and not the program.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view line = error.what();
    require(!line.empty(), "an error has a message");
    require(printable(line) == line, "the message of an error is one printable line");
    require(error.code() == ErrorCode::kInput || error.code() == ErrorCode::kUsage,
            "an error that an input causes says so");
    return false;
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Returns the parts of a text between separators. A text without separators has one part.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != text.npos) text.remove_prefix(end + 1);
  }
  return parts;
}

}  // namespace otss::fuzz
