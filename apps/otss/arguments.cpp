#include "arguments.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <filesystem>

#include "otss/base/error.hpp"

namespace otss::app {

void add_table(CLI::App& command, TableSource& source, const std::string& name,
               const std::string& help) {
  command
      .add_option(name, source.path,
                  help +
                      ": a CSV (.csv, .tsv, .txt), CSV.gz, Parquet or JSON file, a glob, or - for "
                      "CSV on stdin")
      ->required();
  command
      .add_option("--query", source.query,
                  "SQL query that reads this table under the name t; the result of the query is "
                  "used instead of the table")
      ->type_name("SQL");
}

void Output::add(CLI::App& command, const std::string& help) {
  command.add_option("-o,--output", path, help)->type_name("FILE");
  command.add_flag("--json", json, "print a summary as JSON on stdout");
}

void Output::require_path_for_json() const {
  if (json && path.empty()) {
    throw Error(ErrorCode::kUsage,
                "--json needs -o FILE: without -o, stdout is used for the table");
  }
}

void Output::check(const std::vector<std::string>& inputs) const {
  if (path.empty()) return;
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder =
      fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorCode::kUsage, fmt::format("-o {}: there is no folder {}; create it first",
                                               path, folder.string()));
  }
  if (path == "-" || fs::is_directory(path, error)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("-o {}: give the name of a file, not a folder or -", path));
  }
  for (const std::string& input : inputs) {
    const bool same =
        fs::equivalent(path, input, error) || fnmatch(input.c_str(), path.c_str(), 0) == 0;
    if (!input.empty() && same) {
      throw Error(
          ErrorCode::kUsage,
          fmt::format("-o {}: this command reads this file as input; choose another output file",
                      path));
    }
  }
}

void ContextArguments::add(CLI::App& command) {
  add_table(command, source, "CONTEXTS", "contexts");
  command.add_option("--keep", keep, "columns of CONTEXTS to copy into the output")
      ->type_name("COLS");
  command
      .add_option("--unknown", unknown,
                  "what to do with values that training did not have (new text levels, new missing "
                  "values): warn prints how many there are, error stops the command")
      ->check(CLI::IsMember({"warn", "error"}))
      ->capture_default_str();
  command.add_option("--threads", threads, "number of threads; 0 uses all cores")
      ->check(CLI::Range(0, 1024));
  reading.add_for_table(command);
}

TableSource ContextArguments::table() const {
  TableSource table = source;
  table.threads = threads;
  table.rules = reading.rules();
  return table;
}

TableSource ContextArguments::beside(const std::string& path) const {
  return {.path = path, .rules = reading.rules()};
}

UnknownPolicy ContextArguments::policy() const {
  return unknown == "error" ? UnknownPolicy::kError : UnknownPolicy::kCount;
}

void warn_about(const UnknownCounts& counts) {
  if (counts.unknown_levels == 0 && counts.unexpected_missing == 0) return;
  fmt::print(stderr,
             "otss: note: {} values are text levels that training did not have (their indicators "
             "are 0), and {} values are missing in columns without missing values in training "
             "(replaced by the mean); --unknown error refuses such values\n",
             counts.unknown_levels, counts.unexpected_missing);
}

}  // namespace otss::app
