// This header explains why a command line cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace otss::app {

// Returns a message that says what is wrong with the command line, and which --help to read. Where
// the parser's own message is hard to understand, another message replaces it.
std::string usage_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace otss::app
