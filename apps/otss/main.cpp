#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "command.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"
#include "otss/base/process.hpp"
#include "process_guard.hpp"
#include "usage_words.hpp"

namespace {

constexpr int kFailed = 1, kBadInput = 2;

// Returns the message as one line. The line is cut after 1000 bytes, because a message can quote a
// value of any length.
std::string one_line(const std::string& message) {
  constexpr std::size_t kLongest = 1000;
  std::string line = otss::printable(message);
  if (line.size() <= kLongest) return line;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "…";
}

int report(const std::string& message, int exit_code) {
  otss::app::say("error", "{}", one_line(message));
  return exit_code;
}

int stdout_failed() {
  return report(fmt::format("cannot write to standard output: {}; free some space, or write the "
                            "output to another place",
                            std::strerror(errno)),
                kFailed);
}

int exit_code_of(otss::ErrorCode code) {
  return code == otss::ErrorCode::kUsage || code == otss::ErrorCode::kInput ? kBadInput : kFailed;
}

int run(int argc, char** argv) {
  CLI::App app(
      "otss learns from logged decisions how to weigh the factors of a decision.\n"
      "It computes one weight vector per context, which any solver can use as its objective.",
      "otss");
  app.footer(
      "A first example:\n"
      "  otss simulate overlap -o demo\n"
      "  otss fit demo/log.csv --context x1,x2,x3,x4,x5 --factors z1,z2,z3,z4,z5,z6,z7,z8 "
      "--outcome y -o model.json\n"
      "  otss weights model.json demo/contexts.csv\n"
      "  otss decide model.json demo/contexts.csv --library demo/library.csv --id id\n"
      "Type otss COMMAND --help to see the options of a command, and examples.");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("otss {}", otss::version()));
  otss::app::add_commands(app);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_named = [argv](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    return report(
        fmt::format("there is no command '{}'; type otss --help to see all commands", argv[1]),
        kBadInput);
  }
  try {
    app.parse(argc, argv);
  } catch (const otss::app::ExitCode& code) {
    return code.value;
  } catch (const CLI::Success& success) {  // CLI11 throws this for --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(otss::app::usage_words(app, error), kBadInput);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  otss::app::fill_standard_descriptors();
  otss::install_interrupt_handler("otss: error: interrupted\n");
  otss::keep_freed_memory();
  try {
    const int code = run(argc, argv);
    otss::end_of_computation();
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : stdout_failed();
  } catch (const otss::Error& error) {
    otss::end_of_computation();
    return report(error.what(), exit_code_of(error.code()));
  } catch (const std::bad_alloc&) {
    otss::end_of_computation();
    return report(otss::app::kOutOfMemory, kFailed);
  } catch (const std::exception& error) {
    otss::end_of_computation();
    if (std::ferror(stdout) != 0) return stdout_failed();
    return report(
        fmt::format("unexpected error, a bug in otss; please report it: {}", error.what()),
        kFailed);
  }
}
