#include "otss/learn/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "command.hpp"
#include "fit_option_binder.hpp"
#include "json.hpp"
#include "log_arguments.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "printing.hpp"
#include "progress_bar.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

struct CompareArguments {
  LogArguments log;
  std::string methods;
  CompareOptions options;
  bool json = false;
};

// Adds only those fit options to the command line that otss compare offers. otss compare itself
// sets all other fit options.
struct OtssOptionBinder {
  FitOptionBinder bind;
  template <class... Field>
  void operator()(const OptionText& text, Field&&... field) const {
    const Choices kept{"estimator", "experts", "gate", "family", "seed", "threads"};
    if (std::ranges::find(kept, text.name) != kept.end()) bind(text, field...);
  }
};

Json to_json(const ComparedMethod& method, bool binary) {
  Json json = {{"method", word(method.method)},
               {"log_loss", method.quality.log_loss},
               {binary ? "brier" : "squared_error", method.quality.squared_error},
               {"auc", method.quality.auc},
               {"explained", method.quality.explained},
               {"calibration_slope", method.quality.calibration_slope},
               {"effective_experts", nullptr},
               {"seconds", method.seconds},
               {"otss_minus_method",
                {{"log_loss", method.difference},
                 {"lo", method.difference_lo},
                 {"hi", method.difference_hi}}}};
  if (method.gate) json["effective_experts"] = method.gate->effective_experts;
  return json;
}

Json to_json(const Comparison& comparison, const CompareOptions& options) {
  Json methods = Json::array();
  for (const ComparedMethod& method : comparison.methods)
    methods.push_back(to_json(method, options.otss.family == OutputFamily::kBernoulli));
  return {{"training_rows", comparison.training_rows},
          {"validation_rows", comparison.validation_rows},
          {"test_rows", comparison.test_rows},
          {"refit", options.refit},
          {"methods", methods},
          {"supported", comparison.supported},
          {"verdict", comparison.verdict}};
}

// A measure that is not defined for the test rows is NaN, such as the AUC of equal outcomes.
std::string measure(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "undefined";
}

std::string difference(const ComparedMethod& method) {
  if (method.method == Method::kOtss) return "";
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", method.difference, method.difference_lo,
                     method.difference_hi);
}

void print(const Comparison& comparison, const CompareOptions& options) {
  const bool refit = options.refit;
  const bool binary = options.otss.family == OutputFamily::kBernoulli;
  fmt::print(
      "the methods are fitted on {} rows{}, their settings are chosen on {} rows, and they are "
      "compared on {} test rows\n\n",
      comparison.training_rows + (refit ? comparison.validation_rows : 0),
      refit ? " (training and validation)" : "", comparison.validation_rows, comparison.test_rows);
  TextTable table({"method", "log-loss", binary ? "Brier" : "squared error",
                   binary ? "AUC" : "explained", "calibration", "effective experts",
                   "OTSS minus method, log-loss", "seconds"});
  for (const ComparedMethod& method : comparison.methods) {
    table.add({word(method.method), measure(method.quality.log_loss, 5),
               measure(method.quality.squared_error, 4),
               measure(binary ? method.quality.auc : method.quality.explained, 4),
               measure(method.quality.calibration_slope, 2),
               method.gate ? fmt::format("{:.2f}", method.gate->effective_experts) : "",
               difference(method), fmt::format("{:.2f}", method.seconds)});
  }
  print_text("{}\n{}\n", table.str(), comparison.verdict);
}

std::vector<Method> parse_methods(const std::string& names) {
  std::vector<Method> methods;
  for (const std::string& name : split_names(names)) {
    const auto method = parse_word<Method>(name);
    if (!method) {
      throw Error(ErrorCode::kUsage, fmt::format("--methods: '{}' is not one of {}", name,
                                                 fmt::join(words_of<Method>(), ", ")));
    }
    methods.push_back(*method);
  }
  return methods;
}

void run(CompareArguments& arguments) {
  arguments.options.methods = parse_methods(arguments.methods);
  arguments.log.log.threads = arguments.options.otss.threads;
  ProgressBar bar;
  bar.show(0, "reading");
  const LoggedData log = read_log(arguments.log.source(), arguments.log.roles(),
                                  arguments.options.otss.family.outcome_kind());
  print_notes(log.notes());
  const Comparison comparison = compare(
      log, arguments.options, [&bar](double done, std::string_view what) { bar.show(done, what); });
  if (arguments.json) {
    fmt::print("{}\n", to_json(comparison, arguments.options).dump());
  } else {
    print(comparison, arguments.options);
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "Fit every method to the same rows, and compare their predictions on test rows");
  const auto arguments = std::make_shared<CompareArguments>();
  arguments->log.add(*command);
  command
      ->add_option("--methods", arguments->methods,
                   fmt::format("methods to compare, a list of names from {}; default: all methods",
                               fmt::join(words_of<Method>(), ",")))
      ->type_name("NAMES");
  command->add_flag(
      "--refit", arguments->options.refit,
      "choose the settings of every method first, and then fit the method again on training and "
      "validation rows together");
  command
      ->add_option("--test", arguments->options.test,
                   "share of the rows, the test rows, on which the methods are compared")
      ->check(number_range(0.01, 0.9))
      ->capture_default_str();
  command
      ->add_option("--validation", arguments->options.validation,
                   "share of the rows that are not test rows; settings are chosen on this share")
      ->check(number_range(0.01, 0.9))
      ->capture_default_str();
  describe_fit_options(arguments->options.otss, OtssOptionBinder{{*command}});
  command->add_flag("--json", arguments->json, "print the result as JSON");
  command->footer(
      "No method is fitted on test rows. With --group, whole groups are test rows. With --time, "
      "the "
      "latest rows are test rows.\n"
      "Example:\n"
      "  otss compare log.csv --context age,region --factors price,health --outcome retained");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
