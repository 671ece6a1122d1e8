// This header adds the options of a fit to the command line. The function describe_fit_options
// (otss/learn/fit.hpp) lists these options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "choice_option.hpp"
#include "otss/base/options.hpp"

namespace otss::app {

// Returns the option as a user types it, such as "--experts".
std::string dashed(const OptionText& text);

// Adds one command-line option per call. Each type of option value has its own overload.
struct FitOptionBinder {
  CLI::App& command;

  template <Worded Enum>
  void operator()(const OptionText& text, Enum& value, const Choices&) const {
    add_choice(command, dashed(text), value, text.help);
  }
  void operator()(const OptionText& text, bool& flag) const;
  void operator()(const OptionText& text, std::string& value, const FreeText& free) const;
  void operator()(const OptionText& text, AutoCount& value, const Range& range) const;
  void operator()(const OptionText& text, int& value, const Range& range) const;
  void operator()(const OptionText& text, std::uint64_t& value, const Range& range) const;
  void operator()(const OptionText& text, double& value, const Range& range) const;
};

}  // namespace otss::app
