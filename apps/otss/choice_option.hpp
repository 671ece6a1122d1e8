// This header adds a command-line option that allows a fixed list of words. Each word stands for a
// value of an enum.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/base/options.hpp"

namespace otss::app {

// Adds the option `name` to the command. The default of the option is the value that the variable
// `value` has before the call.
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
