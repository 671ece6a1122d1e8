// This header has the arguments that several commands share. Sharing the code makes sure that an
// argument means the same in each command.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/options.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "reading_arguments.hpp"

namespace otss::app {

// Adds the required argument `name`, whose value is the path of a table. Also adds the option
// --query, whose value is an SQL query on this table.
void add_table(CLI::App& command, TableSource& source, const std::string& name,
               const std::string& help);

// The values of the options -o FILE and --json.
struct Output {
  std::string path;           // empty means stdout
  bool json = false;          // true: print a summary as JSON on stdout
  std::string option = "-o";  // the option that gives the path, for messages
  bool takes_tables = false;  // true: `path` may be the address of a table of a database
  bool replace = false;       // --replace: a table that exists is replaced
  ExistingTable existing() const {
    return replace ? ExistingTable::kReplace : ExistingTable::kRefuse;
  }
  void add(CLI::App& command, const std::string& help);
  // Adds the same options, and --replace. The output is a table, in a file or in a database.
  void add_table(CLI::App& command);
  // Throws an Error if --json is given without -o, because then the table and the summary would
  // both be printed on stdout.
  void require_path_for_json() const;
  // Throws an Error if `path` cannot be written, or if `path` is one of the input files. `inputs`
  // has the names of the input files, or patterns such as 'logs/*.csv'. A command calls this
  // function before it does any work.
  void check(const std::vector<std::string>& inputs) const;
};

// The options --unknown and --outside of the commands that encode contexts with a model.
struct NewValueArguments {
  std::string unknown = "warn";  // --unknown: "warn" or "error"
  std::string outside = "warn";  // --outside: "warn" or "error"
  void add(CLI::App& command);
  UnknownPolicy unknown_policy() const;
  OutsidePolicy outside_policy() const;
};

// Arguments of the commands that read contexts and encode them with a model.
struct ContextArguments {
  TableSource source;            // the table CONTEXTS and its --query
  std::string keep;              // --keep: columns to copy into the output
  NewValueArguments new_values;  // --unknown and --outside
  int threads = 0;               // 0: all cores
  ReadingArguments reading;      // --missing and --decimal
  Ranks* ranks = nullptr;        // the processes that share the table; null means one process
  // Lets several processes share the table. Each uses its share of the machine's cores, unless --threads
  // says otherwise.
  void share(Ranks& with) {
    ranks = &with;
    threads = with.num_cores();
  }
  // Adds the arguments to the command. The help calls the table `name`, and describes the table by
  // the text `help`.
  void add(CLI::App& command, const std::string& name = "CONTEXTS",
           const std::string& help = "contexts");
  // Returns `source` together with the number of threads and the reading rules of the command line.
  TableSource table() const;
  // Returns another table of the command, such as the library, together with the number of threads
  // and the reading rules of the command line.
  TableSource beside(const std::string& path) const;
};

// Returns the names of both lists.
std::vector<std::string> with(std::vector<std::string> names, const std::vector<std::string>& more);

// Prints a line on stderr if there were values that did not occur in training, and a line if there
// were numbers far outside the range of training.
void warn_about(const UnknownCounts& counts, const Encoder& encoder);

}  // namespace otss::app
