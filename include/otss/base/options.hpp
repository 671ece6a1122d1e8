// Options are plain structs; each field is described once, in the struct's describe(), and that
// description feeds the range check, the command line, the model file's provenance and the
// reference documentation.
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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

// Whether a model file keeps an option. What changes no result is left out of it.
enum class Recorded { kYes, kNo };

struct OptionText {
  const char* name;  // as typed after "--"
  const char* help;
  Recorded recorded = Recorded::kYes;
};

struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

// A text option that is parsed later, and the form it has.
struct FreeText {
  const char* form;
};

// The values an option takes, as words.
using Choices = std::vector<std::string>;

// One value of a closed set and the word for it. Each enum that users see has one table of its
// words beside it, `constexpr auto word_table(Enum)`, an array of these; words are parsed and
// printed by that table alone.
template <class Enum>
struct WordOf {
  Enum value;
  const char* word;
};

template <class Enum>
concept Worded = requires(Enum value) {
  word_table(value);
};

// Every word of the set, in the order of its table.
template <Worded Enum>
Choices words_of() {
  Choices words;
  for (const auto& entry : word_table(Enum{})) words.emplace_back(entry.word);
  return words;
}

template <Worded Enum>
std::string word(Enum value) {
  for (const auto& entry : word_table(value)) {
    if (entry.value == value) return entry.word;
  }
  throw std::logic_error("a value without a word");
}

// None where the set has no such word.
template <Worded Enum>
std::optional<Enum> parse_word(std::string_view text) {
  for (const auto& entry : word_table(Enum{})) {
    if (entry.word == text) return entry.value;
  }
  return std::nullopt;
}

// Splits "a,b,c" at its commas; a name that contains a comma is written in double quotes.
std::vector<std::string> split_names(const std::string& list);

}  // namespace otss
