// ReadingArguments has the options that say how the cells of a table are written.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/reading_rules.hpp"

namespace otss::app {

struct ReadingArguments {
  // Adds the options of commands that read a log.
  void add_for_log(CLI::App& command);
  // Adds the options of commands that read tables for a model. A user gives these options for
  // tables that are written otherwise than the model's log.
  void add_for_table(CLI::App& command);

  // Returns the rules that the options give. A rule that no option gives is taken from `otherwise`.
  ReadingRules rules(const ReadingRules& otherwise = {}) const;

 private:
  std::vector<std::string> missing_, dates_, references_;
  std::string decimal_, date_order_, positive_;
  bool ignore_case_ = false;
};

// Prints each note as one line on stderr.
void print_notes(const std::vector<std::string>& notes);

}  // namespace otss::app
