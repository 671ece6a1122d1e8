// This header is for otss fit --from MODEL. It copies the options with which the model was fitted,
// except for options that are given on the command line.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <string>

#include "otss/base/error.hpp"
#include "otss/base/options.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::app {

// Each call copies one option from the model's report to `field`, unless the option is given on the
// command line. Throws std::bad_variant_access if the option in the report has another type than
// `field`.
struct FitOptionFiller {
  const CLI::App& command;
  const NamedValues& options;  // the options in the model's report

  template <class Field, class... Limits>
  void operator()(const OptionText& text, Field& field, const Limits&...) const {
    const bool given = command.get_option(std::string("--") + text.name)->count() > 0;
    const auto found = options.find(text.name);
    if (!given && found != options.end()) take(text, found->second, field);
  }

 private:
  static void take(const OptionText&, const ReportValue& value, bool& field) {
    field = std::get<bool>(value);
  }
  static void take(const OptionText&, const ReportValue& value, std::string& field) {
    field = std::get<std::string>(value);
  }
  static void take(const OptionText&, const ReportValue& value, double& field) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    field = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
  }
  template <std::integral Number>
  static void take(const OptionText&, const ReportValue& value, Number& field) {
    field = static_cast<Number>(std::get<std::int64_t>(value));
  }
  static void take(const OptionText& text, const ReportValue& value, AutoCount& field) {
    const bool is_auto = std::holds_alternative<std::string>(value);
    if (is_auto) {
      field = {};
    } else {
      take(text, value, field.value);
    }
  }
  template <Worded Enum>
  static void take(const OptionText& text, const ReportValue& value, Enum& field) {
    const auto& given = std::get<std::string>(value);
    const auto known = parse_word<Enum>(given);
    if (!known) {
      throw Error(ErrorCode::kInput,
                  fmt::format("the model of --from was fitted with --{0} {1}, but this "
                              "version of otss does not know '{1}'; add --{0} with a value "
                              "that otss fit --help lists",
                              text.name, given));
    }
    field = *known;
  }
};

}  // namespace otss::app
