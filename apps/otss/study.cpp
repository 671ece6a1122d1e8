#include "otss/lab/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "progress_bar.hpp"

namespace otss::app {
namespace {

struct StudyArguments {
  std::string name;
  StudyOptions options;
};

constexpr const char* kWhatData =
    "a folder with the tables of the R package completejourney and our two breakfast tables, each "
    "a CSV, CSV.gz or Parquet file named after the table (docs/howto.md)";

void run_one(const std::string& name, const StudyArguments& arguments) {
  ProgressBar bar;
  bar.show(0, name);
  const StudyResult result =
      run_study(name, arguments.options,
                [&bar](double done, std::string_view what) { bar.show(done, what); });
  bar.show(1, name);
  if (!is_first(arguments.options.ranks)) return;
  fmt::print("{}\n", result.table);
  fmt::print("{0}/{1}: table.md, results.csv, seeds.csv.gz, results.json", arguments.options.folder,
             name);
  for (const std::string& figure : result.figures) fmt::print(", {}.svg", figure);
  fmt::print("\n\n");
  std::fflush(stdout);
}

void run(const StudyArguments& arguments) {
  const bool all = arguments.name == "all";
  const bool has_results = !arguments.options.from.empty();
  const bool remakes = has_results && arguments.options.again.empty();
  if (has_results && all)
    throw Error(ErrorCode::kUsage, "--from has the results of one study; name that study");
  if (arguments.options.data.empty() && study_needs_data(arguments.name) && !remakes) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the study {} needs --data DIR, {}", arguments.name, kWhatData));
  }
  if (!arguments.options.data.empty() && !all && !study_uses_data(arguments.name)) {
    throw Error(ErrorCode::kUsage, fmt::format("--data is used only by the studies journey, "
                                               "journey-sweeps and coverage; for study {}, leave "
                                               "out --data",
                                               arguments.name));
  }
  std::vector<std::string> names = {arguments.name};
  if (all) {
    names = study_names();
    if (arguments.options.data.empty()) {
      std::erase_if(names, study_needs_data);
      note(
          "the retail studies (journey, journey-sweeps) are left out because they need --data DIR, "
          "{}",
          kWhatData);
    }
  }
  for (const std::string& name : names) run_one(name, arguments);
}

}  // namespace

void add_study(CLI::App& app, Ranks* ranks) {
  CLI::App* command = app.add_subcommand(
      "study",
      "Reproduce the tables and figures of the paper, with our numbers beside the paper's");
  const auto arguments = std::make_shared<StudyArguments>();
  std::vector<std::string> names = study_names();
  names.emplace_back("all");
  command->add_option("STUDY", arguments->name, "name of the study, or all")
      ->required()
      ->check(CLI::IsMember(names));
  StudyOptions& options = arguments->options;
  options.ranks = ranks;
  if (ranks != nullptr) options.threads = ranks->num_cores();
  command->add_option("--seeds", options.seeds, "number of simulated logs per setting")
      ->check(number_range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option("--first-seed", options.first_seed,
                   "seed of the first log; each next log has the next seed")
      ->check(number_range(0, 0x1p52))
      ->capture_default_str();
  command->add_flag(
      "--refit", options.refit,
      "fit every method again on training and validation rows together, once its setting is "
      "chosen; by default every method is fitted on the training rows only, as in the paper");
  command
      ->add_option("--data", options.data,
                   "folder with the retail tables, for the studies 'journey', 'journey-sweeps', "
                   "'coverage' and 'all'")
      ->type_name("DIR");
  command
      ->add_option("--from", options.from,
                   "make the results from this file seeds.csv.gz of an earlier run, whose seeds "
                   "and protocol they have; nothing is fitted, but for --again")
      ->excludes("--seeds")
      ->excludes("--first-seed")
      ->excludes("--refit")
      ->type_name("FILE");
  command
      ->add_option("--again", options.again,
                   "with --from: fit these methods again, on the seeds of the file, and take the "
                   "results of the others from it; names as in results.csv")
      ->delimiter(',')
      ->needs("--from")
      ->type_name("METHOD,...");
  command->add_option("--threads", options.threads, "number of threads; 0 uses all cores")
      ->check(number_range(0, 1024))
      ->capture_default_str();
  command
      ->add_option("-o,--output", options.folder,
                   "folder for the results; created if it does not exist")
      ->required()
      ->type_name("DIR");
  command->footer(
      "Writes table.md, results.csv, seeds.csv.gz (every metric of every seed, with version, "
      "machine and kernels), results.json and SVG figures into the folder DIR/STUDY.\n"
      "To continue an interrupted study, type the same command again. To add seeds to a finished "
      "study, type the same command with a larger --seeds. Results do not depend on --threads.\n"
      "Examples:\n"
      "  otss study panel-a --seeds 8 -o results\n"
      "  otss study panel-b --seeds 32 --first-seed 4000 --refit -o results\n"
      "  otss study journey --data complete-journey --refit -o results\n"
      "  otss study all --data complete-journey -o results\n"
      "  otss study panel-a --from results/panel-a/seeds.csv.gz -o again\n"
      "  otss study panel-a --from results/panel-a/seeds.csv.gz --again otss,otss-pick -o newer");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
