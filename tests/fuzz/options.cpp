// Fuzz target: the command line. Each line of the input is one argument. The arguments are parsed
// by the whole program, without running a command; then each is read as a list of names and as
// signs and bounds of weights.
#include "otss/base/options.hpp"

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "learn/problem/constraints.hpp"
#include "promises.hpp"
#include "usage_words.hpp"

namespace otss::fuzz {
namespace {

void remove_callbacks(CLI::App& app) {
  app.callback({});
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

// Writes a name as split_names reads it.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

void parse_names(const std::string& list) {
  const std::vector<std::string> names = split_names(list);
  std::string again;
  for (const std::string& name : names) again += (again.empty() ? "" : ",") + quoted(name);
  require(split_names(again) == names, "a list of quoted names has the same names");
}

void parse_constraints(const std::string& sign, const std::string& bounds) {
  static const Encoder encoder{.contexts = {},
                               .factors = {{"price", 0, 1}, {"a,b", 1, 2}, {"z=1", 0, 1e-9}}};
  accepts([&] {
    const internal::Box box = internal::parse_bounds(sign, bounds, encoder);
    for (std::size_t j = 0; j < box.lower.size(); ++j)
      require(box.lower[j] <= box.upper[j], "bounds of a weight are in order");
    internal::weight_bounds(box, encoder, internal::OutcomeUnits{});
  });
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss::fuzz;
  std::vector<std::string> arguments;
  for (const std::string_view line : parts_of(text_of(data, size), '\n'))
    arguments.emplace_back(line);
  parse_arguments(arguments);
  for (const std::string& argument : arguments) parse_names(argument);
  parse_constraints(arguments.front(), arguments.back());
  return 0;
}
