#include "otss/learn/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "command.hpp"
#include "fit_option_binder.hpp"
#include "json.hpp"
#include "log_arguments.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/data/persons.hpp"
#include "printing.hpp"
#include "progress_bar.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

struct CompareArguments {
  LogArguments log;
  std::string methods;
  std::string treatments = "pick,average";
  CompareOptions options;
  bool json = false;
};

// Adds to the command line only the fit options that otss compare offers. otss compare sets all
// other fit options itself.
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
               {"treatment", nullptr},
               {"name", method.name()},
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
  if (method.treatment) json["treatment"] = word(*method.treatment);
  if (method.gate) json["effective_experts"] = method.gate->effective_experts;
  if (method.repeated) {
    json["standard_error"] = method.repeated->standard_error;
    json["behind_best"] = {{"log_loss", method.repeated->behind_best},
                           {"lo", method.repeated->behind_best_lo},
                           {"hi", method.repeated->behind_best_hi}};
  }
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
          {"repeats", comparison.repeats},
          {"methods", methods},
          {"supported", comparison.supported},
          {"verdict", comparison.verdict}};
}

// Returns a measure as text. A measure is NaN if it is not defined for the test rows. For example,
// the AUC is not defined if all outcomes are equal.
std::string measure(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "undefined";
}

std::string with_interval(double value, double lo, double hi) {
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", value, lo, hi);
}

// Returns the difference of log-losses that the table shows. With one split, it is the loss of OTSS
// minus the loss of this method. With several splits, it is the loss of this method minus the loss
// of the best method.
std::string difference(const ComparedMethod& method) {
  if (method.repeated) {
    const RepeatedScore& score = *method.repeated;
    if (score.behind_best == 0) return "";
    return with_interval(score.behind_best, score.behind_best_lo, score.behind_best_hi);
  }
  if (method.method == Method::kOtss) return "";
  return with_interval(method.difference, method.difference_lo, method.difference_hi);
}

void print_splits(const Comparison& comparison, bool refit, bool grouped) {
  const bool repeated = comparison.repeats > 1;
  if (repeated) fmt::print("{} splits of the log; in each, ", comparison.repeats);
  const std::size_t fitted = comparison.training_rows + (refit ? comparison.validation_rows : 0);
  fmt::print(
      "the methods are fitted on {}{} rows{} and compared on {} test rows{}\n"
      "treatment pick: one setting is picked by its loss on {} validation rows; average: all "
      "settings are averaged, with weights by cross-validation on the {} rows\n",
      repeated && grouped ? "about " : "", fitted, refit ? " (training and validation)" : "",
      comparison.test_rows, grouped ? "; groups are held out whole" : "",
      comparison.validation_rows, fitted);
  if (repeated) {
    fmt::print(
        "measures are means over the splits; standard errors and 95 % intervals are corrected for "
        "the rows that the splits share (Nadeau & Bengio 2003)\n");
  }
  fmt::print("\n");
}

void print(const Comparison& comparison, const CompareOptions& options, bool grouped) {
  const bool binary = options.otss.family == OutputFamily::kBernoulli;
  const bool repeated = comparison.repeats > 1;
  print_splits(comparison, options.refit, grouped);
  std::vector<std::string> header{"method", "treatment", "log-loss"};
  if (repeated) header.emplace_back("standard error");
  header.insert(
      header.end(),
      {binary ? "Brier" : "squared error", binary ? "AUC" : "explained", "calibration",
       "effective experts", repeated ? "behind the best, log-loss" : "OTSS minus method, log-loss",
       "seconds"});
  TextTable table(header);
  for (const ComparedMethod& method : comparison.methods) {
    std::vector<std::string> row{word(method.method),
                                 method.treatment ? word(*method.treatment) : "",
                                 measure(method.quality.log_loss, 5)};
    if (method.repeated) row.push_back(measure(method.repeated->standard_error, 4));
    row.insert(row.end(), {measure(method.quality.squared_error, 4),
                           measure(binary ? method.quality.auc : method.quality.explained, 4),
                           measure(method.quality.calibration_slope, 2),
                           method.gate ? fmt::format("{:.2f}", method.gate->effective_experts) : "",
                           difference(method), fmt::format("{:.2f}", method.seconds)});
    table.add(std::move(row));
  }
  print_text("{}\n{}\n", table.str(), comparison.verdict);
}

std::vector<Method> parse_methods(const std::string& names) {
  std::vector<Method> methods;
  for (const std::string& name : split_names(names)) {
    const auto method = parse_word<Method>(name);
    if (!method) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--methods: '{}' is not a method; give names from {}", name,
                              fmt::join(words_of<Method>(), ", ")));
    }
    methods.push_back(*method);
  }
  return methods;
}

std::vector<Treatment> parse_treatments(const std::string& names) {
  std::vector<Treatment> treatments;
  for (const std::string& name : split_names(names)) {
    const auto treatment = parse_word<Treatment>(name);
    if (!treatment || *treatment == Treatment::kAuto)
      throw Error(ErrorCode::kUsage,
                  fmt::format("--treatments: '{}' is not a treatment; give pick, average or "
                              "pick,average",
                              name));
    treatments.push_back(*treatment);
  }
  return treatments;
}

void run(CompareArguments& arguments) {
  arguments.options.methods = parse_methods(arguments.methods);
  arguments.options.treatments = parse_treatments(arguments.treatments);
  arguments.log.log.threads = arguments.options.otss.threads;
  ProgressBar bar;
  bar.show(0, "reading");
  const LoggedData log = read_log(arguments.log.source(), arguments.log.roles(),
                                  arguments.options.otss.family.outcome_kind());
  print_notes(log.notes());
  for (const Finding& finding : find_persons(arguments.log.source(), log.roles()))
    warn("{}", finding.what);
  const Comparison comparison = compare(
      log, arguments.options, [&bar](double done, std::string_view what) { bar.show(done, what); });
  if (arguments.json) {
    fmt::print("{}\n", to_json(comparison, arguments.options).dump());
  } else {
    print(comparison, arguments.options, !log.groups().empty());
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
  command
      ->add_option("--treatments", arguments->treatments,
                   "what is done with the settings of every method: pick keeps the one with the "
                   "lowest loss on the validation rows, as in the paper; average averages all of "
                   "them; with both, every method has two rows")
      ->type_name("NAMES")
      ->capture_default_str();
  command->add_flag(
      "--refit", arguments->options.refit,
      "choose the settings of every method first, and then fit the method again on training and "
      "validation rows together");
  command
      ->add_option("--test", arguments->options.test,
                   "share of the rows that become test rows, on which the methods are compared")
      ->check(number_range(0.01, 0.9))
      ->capture_default_str();
  command
      ->add_option("--validation", arguments->options.validation,
                   "share of the rows that are not test rows on which a setting is picked")
      ->check(number_range(0.01, 0.9))
      ->capture_default_str();
  command
      ->add_option("--repeats", arguments->options.repeats,
                   "number of splits into training and test rows; one split can mislead by chance")
      ->check(number_range(1, CompareOptions::kMostRepeats))
      ->type_name("N")
      ->capture_default_str();
  describe_fit_options(arguments->options.otss, OtssOptionBinder{{*command}});
  command->add_flag("--json", arguments->json, "print the result as JSON");
  command->footer(
      "No method is fitted on test rows. With --group, whole groups are test rows. With --time, "
      "the "
      "latest rows are test rows.\n"
      "Examples:\n"
      "  otss compare log.csv --context age,region --factors price,health --outcome retained\n"
      "  otss compare log.csv --context age,region --factors price,health --outcome retained "
      "--methods linear --repeats 5");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
