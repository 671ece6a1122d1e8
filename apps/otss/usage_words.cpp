#include "usage_words.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace otss::app {
namespace {

// Returns the innermost command that was given. For "otss simulate overlap" this is the command
// "overlap".
const CLI::App& used_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + ' ' + command.get_name();
}

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the text before the first ':' of a message. This text is the name of an option.
std::string option_in(std::string_view message) {
  return std::string(message.substr(0, message.find(':')));
}

std::string words(const CLI::App& command, const CLI::ParseError& error) {
  std::string message = error.what();
  const auto says = [&](const char* text) { return message.find(text) != std::string::npos; };
  if (says("A subcommand is required"))
    return fmt::format("{} needs one of {}", full_name(command),
                       names_of(command.get_subcommands([](const CLI::App*) { return true; })));
  if (says("At Most 1 required")) return option_in(message) + " is given more than once";
  if (says(" required ") && says(" missing")) return option_in(message) + " needs a value";
  constexpr std::string_view kNoConversion = "Could not convert: ";
  if (message.starts_with(kNoConversion)) {
    const std::string given = message.substr(kNoConversion.size());
    const std::size_t equals = given.find(" = ");
    return fmt::format("{}: '{}' is not a whole number", given.substr(0, equals),
                       equals == std::string::npos ? "" : given.substr(equals + 3));
  }
  return message;
}

}  // namespace

std::string usage_words(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = used_command(app);
  return fmt::format("{}; see {} --help", words(command, error), full_name(command));
}

}  // namespace otss::app
