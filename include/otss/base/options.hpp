// Options are plain structs; each field is described once, in the struct's describe(), and that
// description feeds the range check, the command line, the model file's provenance and the
// reference documentation.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace otss {

// A count, or "auto".
struct AutoCount {
  int value = 0;  // 0: auto
  constexpr AutoCount() = default;
  constexpr AutoCount(int count)
      : value(count) {}  // NOLINT(google-explicit-constructor): {.experts = 3} should read so
  constexpr bool is_auto() const { return value == 0; }
};

struct OptionText {
  const char* name;  // as typed after "--"
  const char* help;
};

struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

// A text option that is parsed later, and the form it has.
struct FreeText {
  const char* form;
};

// The values a text option takes.
using Choices = std::vector<std::string>;

// "a,b,c" as typed; a name with a comma is written in double quotes.
std::vector<std::string> split_names(const std::string& list);

}  // namespace otss
