// Fuzz target: the command line. Each line of the input is one argument. The arguments are parsed
// by the whole program, without running a command.
#include "otss/base/options.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <utility>

#include "command.hpp"
#include "learn/problem/constraints.hpp"
#include "promises.hpp"
#include "usage_words.hpp"

namespace otss::fuzz {
namespace {

// A command runs in a callback of CLI11. The callbacks also own the variables that options are parsed
// into, so they are kept elsewhere.
std::vector<std::function<void()>> kept_callbacks;

struct Callback : CLI::App {
  static auto member() { return &Callback::final_callback_; }
};

void remove_callbacks(CLI::App& app) {
  kept_callbacks.push_back(std::exchange(app.*Callback::member(), {}));
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    remove_callbacks(*command);
}

std::unique_ptr<CLI::App> program() {
  auto app = std::make_unique<CLI::App>("", "otss");
  app->require_subcommand(1);
  app::add_commands(*app);
  remove_callbacks(*app);
  return app;
}

void parse_arguments(const std::vector<std::string>& arguments) {
  static const std::unique_ptr<CLI::App> app = program();
  try {
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success&) {
    require(!app->help().empty(), "--help prints something");
  } catch (const CLI::ParseError& error) {
    require(!app::usage_words(*app, error).empty(), "an error of the command line has words");
  }
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss::fuzz;
  std::vector<std::string> arguments;
  for (const std::string_view line : parts_of(text_of(data, size), '\n'))
    arguments.emplace_back(line);
  parse_arguments(arguments);
  return 0;
}
