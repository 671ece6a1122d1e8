// Arguments that several commands share, so that they mean the same everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/options.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"

namespace otss::app {

// A table and --query over it.
void add_table(CLI::App& command, TableSource& source, const std::string& name,
               const std::string& help);

// -o and --json, with the rule that a table on stdout leaves no room for a summary there.
struct Output {
  std::string path;
  bool json = false;
  void add(CLI::App& command, const std::string& help);
  void require_path_for_json() const;
  // A folder that is not there, or a file that is also read, is found out before any work is done.
  void check(const std::vector<std::string>& inputs) const;
};

// What the commands that read contexts through a model share: --keep and --unknown.
struct ContextArguments {
  TableSource source;
  std::string keep;
  std::string unknown = "warn";
  int threads = 0;
  void add(CLI::App& command);
  TableSource table() const;  // to be read on `threads` threads
  UnknownPolicy policy() const;
};

// Tells on stderr, in one line, what the encoder met that training had not.
void warn_about(const UnknownCounts& counts);

}  // namespace otss::app
