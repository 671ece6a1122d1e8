// The command fit of otss-mpi.
#pragma once

#include <CLI/CLI.hpp>

#include "otss/base/ranks.hpp"

namespace otss::app {

// Adds the subcommand fit, which all ranks run together.
void add_fit_of_ranks(CLI::App& app, Ranks& ranks);

}  // namespace otss::app
