#include <fmt/core.h>

#include <cstdio>

#include "command.hpp"
#include "json.hpp"
#include "otss/base/process.hpp"

namespace otss::app {

void add_version(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "What this program is and what it runs on");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->callback([json] {
    if (*json) {
      fmt::print("{}\n",
                 Json{{"version", version()}, {"instruction_set", instruction_set()}}.dump());
    } else {
      fmt::print("otss {} ({} kernels)\n", version(), instruction_set());
    }
  });
}

}  // namespace otss::app
