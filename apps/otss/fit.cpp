#include "otss/learn/fit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "arguments.hpp"
#include "base/json.hpp"
#include "command.hpp"
#include "describe_model.hpp"
#include "fit_option_binder.hpp"
#include "otss/base/error.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/model_file.hpp"
#include "progress_bar.hpp"

namespace otss::app {
namespace {

struct FitArguments {
  TableSource log;
  std::string contexts, factors, exclude;
  Roles roles;
  FitOptions options;
  Output output;
  bool dry_run = false;
};

void print_encoding(const LoggedData& log, bool json) {
  const Encoder& encoder = log.encoder();
  std::vector<std::string> factors;
  for (const FactorColumn& factor : encoder.factors) factors.push_back(factor.name);
  const auto names = encoder.encoded_names();
  if (json) {
    fmt::print("{}\n", Json{{"rows", log.num_rows()},
                            {"outcome", log.roles().outcome},
                            {"contexts", log.roles().contexts},
                            {"encoded_contexts", names},
                            {"factors", factors}}
                           .dump());
    return;
  }
  fmt::print("{} rows, outcome '{}'\n", log.num_rows(), log.roles().outcome);
  fmt::print("{} context columns, encoded as {}: {}\n", encoder.contexts.size(), names.size(),
             fmt::join(names, ", "));
  for (const ContextColumn& column : encoder.contexts) {
    if (column.num_encoded() == 0)
      fmt::print("  '{}' never changes and is left out\n", column.name);
  }
  fmt::print("{} factors: {}\n", factors.size(), fmt::join(factors, ", "));
}

Json summary(const LoggedData& log, const Fitted& fitted, double seconds) {
  const Json provenance = Json::parse(fitted.provenance());
  return {{"method", fitted.method()},
          {"estimator", fitted.estimator()},
          {"family", fitted.family()},
          {"experts", fitted.mixture().num_experts()},
          {"gate", "linear"},
          {"rows", log.num_rows()},
          {"validation_log_loss", provenance.at("validation").at("log_loss")},
          {"heterogeneity", provenance.at("heterogeneity")},
          {"seconds", seconds}};
}

void run(FitArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.output.path.empty() && !arguments.dry_run) {
    throw Error(ErrorCode::kUsage,
                "-o MODEL is required: where to write the model (or --dry-run to look only)");
  }
  arguments.output.check({arguments.log.path});
  arguments.roles.contexts = split_names(arguments.contexts);
  arguments.roles.factors = split_names(arguments.factors);
  arguments.roles.exclude = split_names(arguments.exclude);
  ProgressBar bar;
  bar.show(0, "reading");
  const OutputFamily family = OutputFamily::parse(arguments.options.family);
  const LoggedData log = read_log(arguments.log, arguments.roles, family.outcome_kind());
  if (arguments.dry_run) {
    print_encoding(log, arguments.output.json);
    return;
  }
  const Fitted fitted = fit(log, arguments.options,
                            [&bar](double done, std::string_view what) { bar.show(done, what); });
  save_model(fitted, arguments.output.path);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (arguments.output.json) {
    fmt::print("{}\n", summary(log, fitted, seconds).dump());
  } else {
    fmt::print("{}", describe_fit(fitted));
    fmt::print("wrote {} in {:.2f} s\n", arguments.output.path, seconds);
  }
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Learn the weight map from a log");
  const auto arguments = std::make_shared<FitArguments>();
  add_table(*command, arguments->log, "LOG", "the log, one row per past decision");
  command
      ->add_option("--context", arguments->contexts,
                   "columns known before deciding; 'all': every column left over")
      ->required()
      ->type_name("COLS");
  command->add_option("--factors", arguments->factors, "columns describing the decision taken")
      ->required()
      ->type_name("COLS");
  command
      ->add_option("--outcome", arguments->roles.outcome,
                   "what came of it: 0 or 1, unless --family says otherwise")
      ->required()
      ->type_name("COL");
  command->add_option("--weight", arguments->roles.weight, "sample weights")->type_name("COL");
  command->add_option("--group", arguments->roles.group, "keeps groups together in every split")
      ->type_name("COL");
  command->add_option("--time", arguments->roles.time, "validates on the latest rows")
      ->type_name("COL");
  command->add_option("--exclude", arguments->exclude, "columns that --context all leaves out")
      ->type_name("COLS");
  describe_fit_options(arguments->options, FitOptionBinder{*command});
  arguments->output.add(*command, "the model file to write");
  command->add_flag("--dry-run", arguments->dry_run, "show roles and encoding, and stop");
  command->footer(
      "Examples:\n"
      "  otss fit log.csv --context age,region --factors price,health,novelty --outcome retained "
      "-o model.json\n"
      "  otss fit 'logs/*.parquet' --context all --exclude id --factors price,health --outcome y "
      "--experts 3 -o m.json\n"
      "  otss fit log.csv --query \"SELECT * FROM t WHERE week > 10\" --context age --factors "
      "price --outcome y -o m.json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
