// Arguments that several commands share, so that they mean the same in each command.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/options.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "reading_arguments.hpp"

namespace otss::app {

// Adds a required table argument called `name`, and --query, an SQL query on that table.
void add_table(CLI::App& command, TableSource& source, const std::string& name,
               const std::string& help);

// The options -o FILE and --json.
struct Output {
  std::string path;   // empty: stdout
  bool json = false;  // print a summary as JSON on stdout
  void add(CLI::App& command, const std::string& help);
  // Throws an Error if --json is given without -o: table and summary would both go to stdout.
  void require_path_for_json() const;
  // Throws an Error if the folder of `path` does not exist, or if `path` is one of `inputs` (names
  // or globs). Commands call this before they do any work.
  void check(const std::vector<std::string>& inputs) const;
};

// Arguments of the commands that read contexts and encode them with a model.
struct ContextArguments {
  TableSource source;            // CONTEXTS and --query
  std::string keep;              // --keep: columns to copy into the output
  std::string unknown = "warn";  // --unknown: "warn" or "error"
  int threads = 0;               // 0: all cores
  ReadingArguments reading;      // --missing and --decimal
  void add(CLI::App& command);
  // Returns `source`, to be read with `threads` threads and by the rules of the command line.
  TableSource table() const;
  // Returns another table of the command, to be read as `source` is.
  TableSource beside(const std::string& path) const;
  UnknownPolicy policy() const;
};

// Prints one line on stderr if there were values that did not occur in training.
void warn_about(const UnknownCounts& counts);

}  // namespace otss::app
