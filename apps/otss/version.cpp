#include <fmt/core.h>

#include <cstdio>

#include "command.hpp"
#include "json.hpp"
#include "otss/base/device.hpp"
#include "otss/base/process.hpp"

namespace otss::app {

void add_version(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("version", "Show the version, the instruction set in use and the GPU");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print the result as JSON");
  command->callback([json] {
    if (*json) {
      const Json facts{
          {"version", version()}, {"instruction_set", instruction_set()}, {"gpu", describe_gpu()}};
      fmt::print("{}\n", facts.dump());
    } else {
      fmt::print("otss {} ({} kernels; GPU: {})\n", version(), instruction_set(), describe_gpu());
    }
  });
}

}  // namespace otss::app
