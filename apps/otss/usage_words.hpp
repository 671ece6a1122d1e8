// The words for a command line that cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace otss::app {

// Returns what is wrong with the command line and where to look. The parser's own words are
// replaced where they need explaining.
std::string usage_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace otss::app
