#include "base/version.hpp"

#include <fmt/core.h>

#include <cstdio>

#include "base/isa.hpp"
#include "base/json.hpp"
#include "command.hpp"

namespace otss::app {

void add_version(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "What this program is and what it runs on");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->callback([json] {
    if (*json) {
      fmt::print("{}\n",
                 Json{{"version", kVersion}, {"instruction_set", isa_name(active_isa())}}.dump());
    } else {
      fmt::print("otss {} ({} kernels)\n", kVersion, isa_name(active_isa()));
    }
  });
}

}  // namespace otss::app
