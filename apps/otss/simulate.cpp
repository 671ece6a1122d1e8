#include <fmt/core.h>

#include <cstdio>
#include <functional>

#include "command.hpp"
#include "lab/simulation.hpp"

namespace otss::app {
namespace {

struct Target {
  std::string folder;
  bool json = false;
  void add(CLI::App& command) {
    command.add_option("-o,--output", folder, "folder for the tables, made if need be")->required()->type_name("DIR");
    command.add_flag("--json", json, "print a summary as JSON on stdout");
  }
};

void write(const Simulation& simulation, const Target& target) {
  write_simulation(simulation, target.folder);
  if (target.json) {
    fmt::print("{}\n", simulation.spec.dump());
    return;
  }
  fmt::print("{}: log.csv ({} rows), test.csv and contexts.csv ({} rows), library.csv ({} decisions), truth.csv, spec.json\n",
             target.folder, simulation.train.num_rows, simulation.test.num_rows, simulation.library_size());
}

void add_rows_and_seed(CLI::App& command, int& n, std::uint64_t& seed) {
  command.add_option("--n", n, "training rows")->check(CLI::Range(10, 100'000'000))->capture_default_str();
  command.add_option("--seed", seed, "seed: everything is redrawn with it")->capture_default_str();
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", "Write a log whose true weights are known");
  command->require_subcommand(1);
  command->footer("Example:\n  otss simulate overlap --n 5000 --seed 7 -o demo");

  CLI::App* overlap = command->add_subcommand("overlap", "Two trade-offs that overlap: the paper's panel A");
  const auto spec = std::make_shared<OverlapSpec>();
  const auto overlap_target = std::make_shared<Target>();
  add_rows_and_seed(*overlap, spec->n, spec->seed);
  overlap->add_option("--tau", spec->tau, "how sharply contexts switch between the trade-offs")->capture_default_str();
  overlap->add_option("--nuisance", spec->nuisance, "sd of the contexts that do not matter")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  overlap->add_option("--score", spec->score, "how the gate depends on the contexts")
      ->check(CLI::IsMember({"linear", "quadratic"}))
      ->capture_default_str();
  overlap_target->add(*overlap);
  overlap->callback([spec, overlap_target] { write(simulate_overlap(*spec), *overlap_target); });

  CLI::App* pooled = command->add_subcommand("pooled", "One trade-off for everybody: nothing to segment");
  const auto pooled_spec = std::make_shared<PooledSpec>();
  const auto pooled_target = std::make_shared<Target>();
  add_rows_and_seed(*pooled, pooled_spec->n, pooled_spec->seed);
  pooled_target->add(*pooled);
  pooled->callback([pooled_spec, pooled_target] { write(simulate_pooled(*pooled_spec), *pooled_target); });
}

}  // namespace otss::app
