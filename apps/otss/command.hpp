// There is one function per subcommand. The function declares the options of the subcommand and
// sets the callback that runs it. A subcommand parses its arguments, calls the library and prints
// the result. All computations are in the library.
#pragma once

#include <CLI/CLI.hpp>

#include "otss/base/ranks.hpp"

namespace otss::app {

// A command may throw an ExitCode after it has printed its result. The program then ends with the
// exit code `value`.
struct ExitCode {
  int value = 0;
};

// The commands with the parameter `ranks` can be run by several processes together (otss-mpi). Null
// means one process.
void add_check(CLI::App& app);
void add_fit(CLI::App& app);
void add_weights(CLI::App& app, Ranks* ranks = nullptr);
void add_predict(CLI::App& app);
void add_decide(CLI::App& app, Ranks* ranks = nullptr);
void add_export_objective(CLI::App& app);
void add_export(CLI::App& app);
void add_compare(CLI::App& app);
void add_evaluate(CLI::App& app, Ranks* ranks = nullptr);
void add_inspect(CLI::App& app);
void add_report(CLI::App& app);
void add_units(CLI::App& app);
void add_simulate(CLI::App& app);
void add_study(CLI::App& app, Ranks* ranks = nullptr);
void add_version(CLI::App& app);

// Adds every subcommand, in the order in which --help lists them.
void add_commands(CLI::App& app);

}  // namespace otss::app
