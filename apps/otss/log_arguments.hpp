// A log and the roles of its columns: what every command that reads a log takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/data/logged_data.hpp"

namespace otss::app {

struct LogArguments {
  TableSource log;

  void add(CLI::App& command);
  Roles roles(const Roles& otherwise = {}) const;  // what is not given is as `otherwise` has it

 private:
  std::string contexts_, factors_, exclude_;
  Roles others_;  // outcome, weight, group, time
};

}  // namespace otss::app
