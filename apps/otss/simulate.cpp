#include "otss/lab/simulate.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <functional>

#include "choice_option.hpp"
#include "command.hpp"
#include "number_range.hpp"

namespace otss::app {
namespace {

struct Target {
  std::string folder;
  bool json = false;
  void add(CLI::App& command) {
    command
        .add_option("-o,--output", folder, "folder for the tables; created if it does not exist")
        ->required()
        ->type_name("DIR");
    command.add_flag("--json", json, "print a summary as JSON on stdout");
  }
};

template <class Spec>
void write(const Spec& spec, const Target& target) {
  const SimulatedTables tables = write_simulation(spec, target.folder);
  if (target.json) {
    fmt::print("{}\n", tables.specification);
    return;
  }
  fmt::print(
      "{}: log.csv ({} rows), test.csv and contexts.csv ({} rows), library.csv ({} decisions), "
      "truth.csv, spec.json\n",
      target.folder, tables.training_rows, tables.test_rows, tables.decisions);
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "seed of all random numbers")
      ->check(number_range(0, 0x1p64))
      ->capture_default_str();
}

void add_rows_and_seed(CLI::App& command, int& n, std::uint64_t& seed) {
  command.add_option("--n", n, "number of training rows")
      ->check(number_range(10, 100'000'000))
      ->capture_default_str();
  add_seed(command, seed);
}

void add_overlap(CLI::App& simulate) {
  CLI::App* command =
      simulate.add_subcommand("overlap", "Contexts mix two trade-offs: Panel A of the paper");
  const auto spec = std::make_shared<OverlapSpec>();
  const auto target = std::make_shared<Target>();
  add_rows_and_seed(*command, spec->n, spec->seed);
  command
      ->add_option("--tau", spec->tau,
                   "slope of the gate; with a larger slope the shares are closer to 0 and 1")
      ->check(number_range(-1e6, 1e6))
      ->capture_default_str();
  command
      ->add_option("--nuisance", spec->nuisance,
                   "standard deviation of the context columns that do not affect the gate")
      ->check(number_range(0.0, 1e6))
      ->capture_default_str();
  add_choice(*command, "--score", spec->score, "how the gate depends on the context");
  target->add(*command);
  command->callback([spec, target] { write(*spec, *target); });
}

void add_matched(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand(
      "matched", "Hard or soft segments with a nonlinear gate: Panel B of the paper");
  const auto spec = std::make_shared<MatchedSpec>();
  const auto target = std::make_shared<Target>();
  add_rows_and_seed(*command, spec->n, spec->seed);
  add_choice(
      *command, "--truth", spec->truth,
      "soft: each context has a mixture of trade-offs; hard: each context has one trade-off");
  command
      ->add_option("--rand", spec->rand,
                   "size of the nonlinear part of the gate's scores; 0 makes the scores linear")
      ->check(number_range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--experts", spec->experts, "number of trade-offs")
      ->check(number_range(2, 64))
      ->capture_default_str();
  target->add(*command);
  command->callback([spec, target] { write(*spec, *target); });
}

void add_experts(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand(
      "experts",
      "Several trade-offs with many zero weights, and a gate that depends on few "
      "context columns");
  const auto spec = std::make_shared<ExpertsSpec>();
  const auto target = std::make_shared<Target>();
  add_rows_and_seed(*command, spec->n, spec->seed);
  command->add_option("--experts", spec->experts, "number of trade-offs")
      ->check(number_range(2, 64))
      ->capture_default_str();
  command
      ->add_option("--top", spec->top,
                   "mean over contexts of the largest share, between 1/experts and 1")
      ->check(number_range(0, 1))
      ->capture_default_str();
  target->add(*command);
  command->callback([spec, target] { write(*spec, *target); });
}

void add_pooled(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand("pooled", "All contexts have the same trade-off");
  const auto spec = std::make_shared<PooledSpec>();
  const auto target = std::make_shared<Target>();
  add_rows_and_seed(*command, spec->n, spec->seed);
  target->add(*command);
  command->callback([spec, target] { write(*spec, *target); });
}

void add_panel(CLI::App& simulate) {
  CLI::App* command = simulate.add_subcommand(
      "panel", "Units with many rows each, whose trade-offs deviate from those of their contexts");
  const auto spec = std::make_shared<PanelSpec>();
  const auto target = std::make_shared<Target>();
  command->add_option("--units", spec->units, "number of units in the log")
      ->check(number_range(2, 10'000'000))
      ->capture_default_str();
  command->add_option("--rows", spec->rows, "mean number of rows of a unit in the log")
      ->check(number_range(1, 10'000))
      ->capture_default_str();
  command
      ->add_option("--spread", spec->spread,
                   "standard deviation of a unit's deviation from each weight of its context; with "
                   "0, units do not deviate")
      ->check(number_range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--experts", spec->experts, "number of trade-offs that contexts mix")
      ->check(number_range(1, 64))
      ->capture_default_str();
  command->add_option("--factors", spec->factors, "number of factors")
      ->check(number_range(2, 64))
      ->capture_default_str();
  add_seed(*command, spec->seed);
  target->add(*command);
  command->callback([spec, target] { write(*spec, *target); });
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("simulate", "Write a simulated log with known true weights");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  otss simulate overlap --n 5000 --seed 7 -o demo\n"
      "  otss simulate matched --truth hard --rand 0.4 -o demo\n"
      "  otss simulate experts --experts 5 -o demo\n"
      "  otss simulate panel --units 500 --rows 12 -o demo");
  add_overlap(*command);
  add_matched(*command);
  add_experts(*command);
  add_pooled(*command);
  add_panel(*command);
}

}  // namespace otss::app
