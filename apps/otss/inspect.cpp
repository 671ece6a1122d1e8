#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "command.hpp"
#include "describe_model.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

// Refuses a model file whose report is not complete. This can happen if another program wrote the
// model file.
[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorCode::kInput, fmt::format("{}: the model file does not have the report that "
                                             "otss fit writes; use --json to see the whole file",
                                             path));
}

// Returns one line about the rules by which tables for this model are read. Returns an empty text
// if all rules are the default.
std::string describe_reading(const ReadingRules& rules) {
  std::vector<std::string> parts;
  if (rules.decimal == ',') parts.emplace_back("numbers have decimal commas");
  std::vector<std::string> words;
  const ReadingRules plain;
  for (const std::string& word : rules.missing) {
    if (!plain.is_missing(word)) words.push_back(fmt::format("'{}'", word));
  }
  if (!words.empty()) parts.push_back(fmt::format("{} means missing", fmt::join(words, ", ")));
  if (rules.date_order)
    parts.push_back(fmt::format("dates with slashes have the order {}", word(*rules.date_order)));
  if (rules.ignores_case) parts.emplace_back("texts are read in lower case");
  for (const TextFactor& factor : rules.text_factors)
    parts.push_back(
        fmt::format("levels of factor '{}' are relative to '{}'", factor.column, factor.reference));
  if (rules.positive)
    parts.push_back(fmt::format("outcome '{}' counts as 1", rules.positive->value));
  return parts.empty() ? "" : fmt::format("rules for reading tables: {}\n", fmt::join(parts, "; "));
}

// Returns one line with the options of the fit. Options that were auto, 0 or not given are left out,
// and so are the seed and the constraints, which have lines of their own.
std::string describe_options(const NamedValues& options) {
  const std::set<std::string> shown_elsewhere{"seed", "sign", "bounds"};
  const std::set<std::string> not_given{"auto", "0", "false"};
  std::string line;
  for (const auto& [name, value] : options) {
    const std::string words = in_words(value);
    if (shown_elsewhere.contains(name) || not_given.contains(words)) continue;
    const bool is_flag = std::holds_alternative<bool>(value);
    line += is_flag ? fmt::format(" --{}", name) : fmt::format(" --{} {}", name, words);
  }
  return line.empty() ? "" : fmt::format("options:{}\n", line);
}

void run(const std::string& path, bool json) {
  const Fitted fitted = load_model(path);
  if (json) {
    fmt::print("{}", model_to_text(fitted));
    return;
  }
  const FitReport& report = fitted.report();
  const auto seed = report.options.find("seed");
  const bool whole = report.data && report.choice && report.held_out && report.gain;
  if (seed == report.options.end() || !whole) refuse(path);
  print_text("{}: {} model, {} estimator, {} outcome '{}'\n", path, word(fitted.method()),
             word(fitted.estimator()), word(fitted.family()), fitted.roles().outcome);
  print_text("written by {}, seed {}, data {}, checksum {}\n",
             report.software.empty() ? "another program" : report.software, in_words(seed->second),
             report.data->fingerprint, model_checksum(fitted).substr(0, 12));
  print_text("contexts: {}\n", fmt::join(fitted.encoder().encoded_names(), ", "));
  print_text("{}", describe_reading(fitted.encoder().reading));
  print_text("{}", describe_options(report.options));
  for (const char* constraint : {"sign", "bounds"}) {
    const auto text = report.options.find(constraint);
    if (text != report.options.end())
      print_text("constrained by --{} {}\n", constraint, in_words(text->second));
  }
  print_text("{}", describe_fit(fitted));
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Show how a model was fitted, which settings were tried, and the model's experts");
  const auto path = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("MODEL", *path, "a model file")->required();
  command->add_flag("--json", *json, "print the whole model file as JSON");
  command->footer("Example:\n  otss inspect model.json");
  command->callback([path, json] { run(*path, *json); });
}

}  // namespace otss::app
