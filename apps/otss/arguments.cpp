#include "arguments.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

// Returns how many numbers of each column are far outside the range of training, such as "3 in
// column 'age' (training: 18 to 90)".
std::string far_columns(const UnknownCounts& counts, const Encoder& encoder) {
  std::string columns;
  for (std::size_t i = 0; i < counts.far_values.size(); ++i) {
    if (counts.far_values[i] == 0) continue;
    const ContextColumn& column = encoder.contexts[i];
    columns += fmt::format("{}{} in column '{}'", columns.empty() ? "" : ", ", counts.far_values[i],
                           column.name);
    if (column.range)
      columns += fmt::format(" (training: {:g} to {:g})", column.range->lo, column.range->hi);
  }
  return columns;
}

// Checks an output whose path is the address of a database.
void check_database(const Output& output, const std::vector<std::string>& inputs) {
  if (!output.takes_tables) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: this output is not a table; give the name of a file",
                            output.option, output.path));
  }
  if (std::ranges::find(inputs, output.path) != inputs.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: this table is also an input of the command; give another table",
                            output.option, output.path));
  }
}

}  // namespace

void add_table(CLI::App& command, TableSource& source, const std::string& name,
               const std::string& help) {
  command
      .add_option(name, source.path,
                  help +
                      ": a CSV (.csv, .tsv, .txt), CSV.gz, Parquet or JSON file, a pattern such as "
                      "'logs/*.csv', - for CSV on stdin, or postgresql://host/database#table")
      ->required();
  command
      .add_option("--query", source.query,
                  "SQL query in which this table has the name t; the result of the query is used "
                  "instead of the table; a database executes the query itself")
      ->type_name("SQL");
  command
      .add_option("--query-seconds", source.limits.seconds,
                  "stop with an error if the query works longer than this")
      ->check(CLI::Range(0.001, 1e9))
      ->capture_default_str();
  command
      .add_option("--query-memory", source.limits.megabytes,
                  "stop with an error if the query needs or returns more megabytes than this")
      ->check(CLI::Range(16, 1 << 24))
      ->capture_default_str();
}

void Output::add(CLI::App& command, const std::string& help) {
  command.add_option("-o,--output", path, help)->type_name("FILE");
  command.add_flag("--json", json, "print a summary as JSON on stdout");
}

void Output::add_table(CLI::App& command) {
  add(command,
      "file for the table (.csv, .parquet, .json), or postgresql://host/database#table; default: "
      "CSV on stdout");
  takes_tables = true;
  command.add_flag("--replace", replace, "replace the table of the database if it exists");
}

void Output::require_path_for_json() const {
  if (json && path.empty()) {
    throw Error(
        ErrorCode::kUsage,
        "--json needs -o FILE, because without -o the table is printed on stdout; add -o FILE");
  }
}

void Output::check(const std::vector<std::string>& inputs) const {
  if (path.empty()) return;
  if (is_database(path)) return check_database(*this, inputs);
  if (replace) {
    throw Error(ErrorCode::kUsage,
                "--replace is for tables of a database, because files are always replaced; leave "
                "out --replace");
  }
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder =
      fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorCode::kUsage, fmt::format("{} {}: there is no folder {}; create it first",
                                               option, path, folder.string()));
  }
  if (path == "-" || fs::is_directory(path, error)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: this is not the name of a file; give a name such as result.csv",
                            option, path));
  }
  for (const std::string& input : inputs) {
    const bool same =
        fs::equivalent(path, input, error) || fnmatch(input.c_str(), path.c_str(), 0) == 0;
    if (!input.empty() && same) {
      throw Error(
          ErrorCode::kUsage,
          fmt::format("{} {}: this file is also an input of the command; give another output file",
                      option, path));
    }
  }
  require_writable(path);
}

void NewValueArguments::add(CLI::App& command) {
  command
      .add_option("--unknown", unknown,
                  "what to do with values that did not occur in training (new text levels, new "
                  "missing values); warn: print how many there are; error: stop the command")
      ->check(CLI::IsMember({"warn", "error"}))
      ->capture_default_str();
  command
      .add_option("--outside", outside,
                  "what to do with numbers whose distance from the range of training is larger "
                  "than the width of this range; warn: print how many there are; error: stop the "
                  "command")
      ->check(CLI::IsMember({"warn", "error"}))
      ->capture_default_str();
}

UnknownPolicy NewValueArguments::unknown_policy() const {
  return unknown == "error" ? UnknownPolicy::kError : UnknownPolicy::kCount;
}

OutsidePolicy NewValueArguments::outside_policy() const {
  return outside == "error" ? OutsidePolicy::kError : OutsidePolicy::kCount;
}

void ContextArguments::add(CLI::App& command, const std::string& name, const std::string& help) {
  add_table(command, source, name, help);
  command.add_option("--keep", keep, "columns of " + name + " to copy into the output")
      ->type_name("COLS");
  new_values.add(command);
  command.add_option("--threads", threads, "number of threads; 0 uses all cores")
      ->check(number_range(0, 1024));
  reading.add_for_table(command);
}

TableSource ContextArguments::table() const {
  TableSource table = source;
  table.threads = threads;
  table.rules = reading.rules();
  return table;
}

TableSource ContextArguments::beside(const std::string& path) const {
  return {.path = path, .rules = reading.rules(), .threads = threads};
}

std::vector<std::string> with(std::vector<std::string> names,
                              const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void warn_about(const UnknownCounts& counts, const Encoder& encoder) {
  const auto are = [](std::size_t count) { return count == 1 ? "is" : "are"; };
  if (counts.unknown_levels > 0) {
    note(
        "{} {} text that training did not have in its column, encoded as none of the known levels; "
        "add --unknown error to refuse such values",
        counted(counts.unknown_levels, "value"), are(counts.unknown_levels));
  }
  if (counts.unexpected_missing > 0) {
    note(
        "{} {} missing in a column that had no missing values in training, replaced by the mean of "
        "the column in training; add --unknown error to refuse such values",
        counted(counts.unexpected_missing, "value"), are(counts.unexpected_missing));
  }
  const std::string columns = far_columns(counts, encoder);
  if (columns.empty()) return;
  note(
      "some numbers are far outside the range of training, where the model only extrapolates: {}; "
      "add --outside error to refuse such values",
      columns);
}

}  // namespace otss::app
