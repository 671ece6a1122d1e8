// otss-mpi: commands of otss whose work is shared out over the processes of an MPI job.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

#include "command.hpp"
#include "fit.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "otss/mpi.hpp"
#include "process_guard.hpp"
#include "usage_words.hpp"

namespace {

using namespace otss;
using namespace otss::app;

// Ends the whole job with one message. All ranks find most errors, such as a file that does not exist.
// Rank 0 speaks first; the others wait, and speak only if rank 0 found no error itself.
[[noreturn]] void fail(const MpiJob& job, const std::string& message, int code) {
  constexpr std::chrono::seconds kPatience(3);
  if (!job.is_first()) std::this_thread::sleep_for(kPatience);
  say("error", "{}", message);
  MpiJob::abort(code);
}

void add_commands_of_ranks(CLI::App& app, Ranks& ranks) {
  add_fit_of_ranks(app, ranks);
  add_weights(app, &ranks);
  add_decide(app, &ranks);
  add_evaluate(app, &ranks);
  add_study(app, &ranks);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  MpiJob job(argc, argv);
  if (!job.is_first()) mute_notes();
  CLI::App app(
      "otss-mpi runs commands of otss with the processes of an MPI job, which share the rows of "
      "CSV or Parquet files, or the seeds of a study.",
      "otss-mpi");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("otss-mpi {}", version()));
  add_commands_of_ranks(app, job.ranks());
  try {
    app.parse(argc, argv);
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const CLI::Success& success) {  // CLI11 throws this for --help
    return job.is_first() ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    fail(job, usage_words(app, error), 2);
  } catch (const Error& error) {
    const bool is_bad_input =
        error.code() == ErrorCode::kUsage || error.code() == ErrorCode::kInput;
    fail(job, error.what(), is_bad_input ? 2 : 1);
  } catch (const std::bad_alloc&) {
    fail(job, kOutOfMemory, 1);
  } catch (const std::exception& error) {
    fail(job, fmt::format("unexpected error, a bug in otss; please report it: {}", error.what()),
         1);
  }
}
