// This header has the types that describe options. The options of a command are a plain struct. A
// function beside the struct, such as describe_fit_options, describes each field once. The range
// check, the command line, and the code that records options in the model file all use this
// description.
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

// A count that the user gives, or "auto", which means that the program chooses the count.
struct AutoCount {
  int value = 0;  // the count; 0 means auto
  constexpr AutoCount() = default;
  constexpr AutoCount(int count)
      : value(count) {}  // NOLINT(google-explicit-constructor): allows {.experts = 3}
  constexpr bool is_auto() const { return value == 0; }
};

// Says whether the model file records an option. Options that change no result, such as the number
// of threads, are not recorded.
enum class Recorded { kYes, kNo };

// The name and the help text of an option.
struct OptionText {
  const char* name;                    // the name that a user types after "--"
  const char* help;                    // the text that `otss COMMAND --help` prints
  Recorded recorded = Recorded::kYes;  // whether the model file records the option
};

// The values that a numeric option allows: lo ≤ value ≤ hi.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

// Marks an option that takes any text. The command parses this text later.
struct FreeText {
  const char* form;  // the form of the text, as --help shows it, such as "F=LO:HI,…"
};

// The words that an option allows.
using Choices = std::vector<std::string>;

// One value of an enum and the word that users type for it. Each enum that users see has a function
// `constexpr auto word_table(Enum)`, which returns an array of WordOf. All code that parses or
// prints these words uses this table.
template <class Enum>
struct WordOf {
  Enum value;
  const char* word;
};

// An enum is Worded if it has a word_table.
template <class Enum>
concept Worded = requires(Enum value) {
  word_table(value);
};

// Returns all words of the enum, in the order of its table.
template <Worded Enum>
Choices words_of() {
  Choices words;
  for (const auto& entry : word_table(Enum{})) words.emplace_back(entry.word);
  return words;
}

// Returns the word of an enum value.
template <Worded Enum>
std::string word(Enum value) {
  for (const auto& entry : word_table(value)) {
    if (entry.value == value) return entry.word;
  }
  throw std::logic_error("word_table has no entry for this enum value");
}

// Returns the enum value of a word, or std::nullopt if the enum has no such word.
template <Worded Enum>
std::optional<Enum> parse_word(std::string_view text) {
  for (const auto& entry : word_table(Enum{})) {
    if (entry.word == text) return entry.value;
  }
  return std::nullopt;
}

// Splits "a,b,c" at its commas. A name that contains a comma, or begins with a double quote, must
// be written in double quotes. Inside such a name, a double quote is written twice, as in CSV.
std::vector<std::string> split_names(const std::string& list);

}  // namespace otss
