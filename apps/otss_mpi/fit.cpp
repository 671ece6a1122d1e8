#include "fit.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "describe_model.hpp"
#include "fit_option_binder.hpp"
#include "fit_profile.hpp"
#include "fit_summary.hpp"
#include "log_arguments.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "otss/learn/fit_ranks.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

struct FitArguments {
  LogArguments log;
  FitOptions options;
  std::string checkpoint;
  Output output;
  bool profile = false;
};

void add_options(CLI::App& command, FitArguments& arguments) {
  arguments.log.add(command);
  arguments.log.add_unit(command);
  describe_fit_options(arguments.options, FitOptionBinder{command});
  command
      .add_option(
          "--checkpoint", arguments.checkpoint,
          "file to which the sums over all rows are written every few passes; a fit that was "
          "interrupted continues from there, to the same model")
      ->type_name("FILE");
  arguments.output.add(command, "model file to write");
  command.add_flag("--profile", arguments.profile, "print where the time of rank 0 went");
  command.footer(
      "Example:\n"
      "  mpirun -n 8 otss-mpi fit 'logs/*.parquet' --context age,region --factors price,health "
      "--outcome retained -o model.json");
}

void print_result(const FitArguments& arguments, const Fitted& fitted, double seconds,
                  int num_ranks) {
  const FitProfile profile{profile_of_process(), seconds, fitted.report().data.value().rows};
  if (arguments.output.json) {
    Json json = summary(fitted, seconds);
    json["ranks"] = num_ranks;
    if (arguments.profile) json["profile"] = to_json(profile);
    fmt::print("{}\n", json.dump());
    return;
  }
  print_text("{}", describe_fit(fitted));
  print_text("wrote {} in {:.2f} s, with {} ranks\n", arguments.output.path, seconds, num_ranks);
  if (arguments.profile) print_text("{}", describe(profile));
}

void run(Ranks& ranks, FitArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.output.path.empty())
    throw Error(ErrorCode::kUsage, "-o MODEL is missing; give the model file to write");
  if (ranks.rank() == 0) arguments.output.check({arguments.log.log.path});  // which alone writes it
  TableSource source = arguments.log.source();
  if (arguments.options.threads == 0) arguments.options.threads = ranks.num_cores();
  source.threads = arguments.options.threads;
  const Checkpoint checkpoint{arguments.checkpoint, [&](std::size_t num_passes) {
                                note("{}: the fit continues behind pass {} over the rows",
                                     arguments.checkpoint, num_passes);
                              }};
  const auto fitted =
      fit_ranks(ranks, source, arguments.log.roles(), arguments.options, checkpoint);
  if (!fitted) return;
  save_model(*fitted, arguments.output.path);
  if (!arguments.checkpoint.empty()) std::filesystem::remove(arguments.checkpoint);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  warn_about_uncertainty(*fitted);
  print_result(arguments, *fitted, seconds, ranks.size());
}

}  // namespace

void add_fit_of_ranks(CLI::App& app, Ranks& ranks) {
  CLI::App* command =
      app.add_subcommand("fit", "Learn the weights of each context from a log, and write a model");
  const auto arguments = std::make_shared<FitArguments>();
  add_options(*command, *arguments);
  command->callback([&ranks, arguments] { run(ranks, *arguments); });
}

}  // namespace otss::app
