// otss-mpi: fits a model to a log whose rows are shared out over the processes of an MPI job.
#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <thread>

#include "arguments.hpp"
#include "describe_model.hpp"
#include "fit_option_binder.hpp"
#include "fit_profile.hpp"
#include "log_arguments.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "otss/learn/fit_ranks.hpp"
#include "otss/model/model_file.hpp"
#include "otss/mpi.hpp"
#include "printing.hpp"

namespace {

using namespace otss;
using namespace otss::app;

struct Arguments {
  LogArguments log;
  FitOptions options;
  std::string checkpoint;
  Output output;
  bool profile = false;
};

void add_options(CLI::App& command, Arguments& arguments) {
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

void run_fit(MpiJob& job, Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.output.path.empty())
    throw Error(ErrorCode::kUsage, "-o MODEL is missing; give the model file to write");
  TableSource source = arguments.log.source();
  // Ranks on the same machine share its cores, so each has one thread unless the user says otherwise.
  if (arguments.options.threads == 0) arguments.options.threads = 1;
  source.threads = arguments.options.threads;
  const auto fitted = fit_ranks(job.ranks(), source, arguments.log.roles(), arguments.options,
                                arguments.checkpoint);
  if (!fitted) return;
  save_model(*fitted, arguments.output.path);
  if (!arguments.checkpoint.empty()) std::filesystem::remove(arguments.checkpoint);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_text("{}", describe_fit(*fitted));
  print_text("wrote {} in {:.2f} s, with {} ranks\n", arguments.output.path, seconds, job.size());
  if (arguments.profile) {
    const std::size_t rows = fitted->report().data.value().rows;
    print_text("{}", describe(FitProfile{profile_of_process(), seconds, rows}));
  }
}

// Ends the whole job with one message. All ranks find most errors, such as a file that does not exist.
// Rank 0 speaks first; the others wait, and speak only if rank 0 found no error itself.
[[noreturn]] void fail(const MpiJob& job, const std::string& message, int code) {
  constexpr std::chrono::seconds kPatience(3);
  if (!job.is_first()) std::this_thread::sleep_for(kPatience);
  say("error", "{}", message);
  MpiJob::abort(code);
}

}  // namespace

int main(int argc, char** argv) {
  MpiJob job(argc, argv);
  CLI::App app("otss-mpi fits a model to Parquet files, with the processes of an MPI job.",
               "otss-mpi");
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* command =
      app.add_subcommand("fit", "Learn the weights of each context from a log, and write a model");
  add_options(*command, arguments);
  command->callback([&] { run_fit(job, arguments); });
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& success) {  // CLI11 throws this for --help
    return job.is_first() ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    fail(job, fmt::format("{}; type otss-mpi fit --help", error.what()), 2);
  } catch (const Error& error) {
    const bool is_bad_input =
        error.code() == ErrorCode::kUsage || error.code() == ErrorCode::kInput;
    fail(job, error.what(), is_bad_input ? 2 : 1);
  } catch (const std::exception& error) {
    fail(job, fmt::format("unexpected error, a bug in otss; please report it: {}", error.what()),
         1);
  }
}
