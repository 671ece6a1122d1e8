// LogArguments has the arguments of every command that reads a log: the log itself and the roles of
// its columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/data/logged_data.hpp"
#include "reading_arguments.hpp"

namespace otss::app {

struct LogArguments {
  TableSource log;

  void add(CLI::App& command);
  // Adds --unit, for the commands that can use it.
  void add_unit(CLI::App& command);
  // Returns the log with the reading rules of the command line. A rule that is not given is taken
  // from `otherwise`.
  TableSource source(const ReadingRules& otherwise = {}) const;
  // Returns the roles that are given on the command line. A role that is not given is taken from
  // `otherwise`.
  Roles roles(const Roles& otherwise = {}) const;

 private:
  std::string contexts_, factors_, exclude_;
  Roles others_;  // the roles outcome, weight, group, unit and time
  ReadingArguments reading_;
};

}  // namespace otss::app
