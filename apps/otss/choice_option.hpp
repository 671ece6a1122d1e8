// A command-line option whose values are a closed set of words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/base/options.hpp"

namespace otss::app {

// What is in `value` now is the default.
template <Worded Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& value,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          name, [&value](const std::string& given) { value = *parse_word<Enum>(given); }, help)
      ->check(CLI::IsMember(words_of<Enum>()))
      ->default_str(word(value));
}

}  // namespace otss::app
