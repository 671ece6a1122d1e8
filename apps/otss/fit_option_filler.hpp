// Takes the options a model was fitted with, except those given on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "json.hpp"
#include "otss/base/options.hpp"

namespace otss::app {

struct FitOptionFiller {
  const CLI::App& command;
  const Json& options;  // provenance.options of the model

  template <class Field, class... Limits>
  void operator()(const OptionText& text, Field& field, const Limits&...) const {
    const bool given = command.get_option(std::string("--") + text.name)->count() > 0;
    if (!given && options.contains(text.name)) take(options.at(text.name), field);
  }

 private:
  template <class Field>
  static void take(const Json& value, Field& field) {
    field = value.get<Field>();
  }
  static void take(const Json& value, AutoCount& field) {
    field = value.is_string() ? AutoCount() : AutoCount(value.get<int>());
  }
};

}  // namespace otss::app
