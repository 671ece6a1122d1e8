// One function per subcommand: it declares the options and sets the callback that runs them. Parse,
// call, print; what computes lives in the rooms.
#pragma once

#include <CLI/CLI.hpp>

namespace otss::app {

// Thrown by a command that has said all there is to say, where that ends in another code than 0.
struct ExitCode {
  int value = 0;
};

void add_check(CLI::App& app);
void add_fit(CLI::App& app);
void add_weights(CLI::App& app);
void add_decide(CLI::App& app);
void add_export_objective(CLI::App& app);
void add_compare(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_simulate(CLI::App& app);
void add_study(CLI::App& app);
void add_version(CLI::App& app);

}  // namespace otss::app
