// The options --stream, --memory and --scratch of the command fit.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "otss/data/logged_data.hpp"
#include "otss/data/table.hpp"

namespace otss::app {

struct StreamArguments {
  bool stream = false;
  std::string memory;   // --memory, such as "1GB"; empty means the memory of the machine
  std::string scratch;  // --scratch FILE

  void add(CLI::App& command);

  // Returns true if the encoded rows are kept on disk: if --stream or --scratch is given, or if the
  // table would fill more than half of the memory. `needs_memory` is an option that cannot be used
  // together with --stream, or empty; then a table is not streamed unless the user asks for it, which
  // is an Error.
  bool is_streamed(const TableSource& source, const std::string& needs_memory) const;

  // Reads a log whose encoded rows are kept on disk: in the scratch file if there is one, otherwise
  // in a file without a name in the folder of `output`. If a scratch file of the same log exists, it
  // is used, and the table is not read.
  LoggedData read(TableReader reader, const Roles& roles, OutcomeKind outcome,
                  const std::string& output) const;

  // Returns the number of bytes that --memory gives, or those of the machine.
  std::size_t memory_bytes() const;
};

}  // namespace otss::app
