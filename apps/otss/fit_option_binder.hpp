// Turns the one description of the fit options into command-line options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "otss/base/options.hpp"

namespace otss::app {

struct FitOptionBinder {
  CLI::App& command;

  void operator()(const OptionText& text, std::string& value, const Choices& choices) const;
  void operator()(const OptionText& text, bool& flag) const;
  void operator()(const OptionText& text, std::string& value, const FreeText& free) const;
  void operator()(const OptionText& text, AutoCount& value, const Range& range) const;
  void operator()(const OptionText& text, int& value, const Range& range) const;
  void operator()(const OptionText& text, std::uint64_t& value, const Range& range) const;
  void operator()(const OptionText& text, double& value, const Range& range) const;
};

}  // namespace otss::app
