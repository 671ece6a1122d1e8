// Writes logs of the retail study as tables, so that bench/worlds can fit them with any program.
//
//   retail_logs TABLES OUT FIRST COUNT
//
// TABLES is the folder with the retail tables (docs/reproduce.md). OUT/SEED/ gets log.csv, test.csv
// and truth.csv for each of COUNT seeds from FIRST on; OUT/decisions.f32 has the factors of the
// decisions that are feasible in each test row, which are the same for all seeds.
#include <fmt/core.h>
#include <fmt/os.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "lab/journey/journey.hpp"

namespace {

using otss::internal::JourneyData;
using otss::internal::SimulatedRows;
using otss::internal::Simulation;

// The first column is the household of a training row, or the number of a test row.
void write_rows(const Simulation& world, const SimulatedRows& rows, bool training,
                const std::string& path) {
  fmt::ostream file = fmt::output_file(path);
  file.print("{},{},{},y\n", training ? "household" : "row", fmt::join(world.context_names(), ","),
             fmt::join(world.factor_names(), ","));
  const auto p = static_cast<std::size_t>(world.num_contexts);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    file.print("{},{},{},{}\n", training ? rows.groups[i] : static_cast<double>(i),
               fmt::join(std::span(rows.contexts).subspan(i * p, p), ","),
               fmt::join(world.logged_factors(rows, i), ","), rows.outcomes[i]);
  }
}

void write_truth(const Simulation& world, const std::string& path) {
  fmt::ostream file = fmt::output_file(path);
  std::vector<std::string> names;
  for (const std::string& name : world.factor_names()) names.push_back("w_" + name);
  file.print("{}\n", fmt::join(names, ","));
  const auto width = static_cast<std::size_t>(world.num_factors);
  for (std::size_t i = 0; i < world.test.num_rows; ++i) {
    const auto weights = std::span(world.test.weights).subspan(i * width, width);
    file.print("{}\n", fmt::join(weights, ","));
  }
}

// Writes the factors of every bundle in every test row, rows × bundles × factors, as f32.
void write_decisions(const JourneyData& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const double value : data.test.decisions.factors()) {
    const auto rounded = static_cast<float>(value);
    file.write(reinterpret_cast<const char*>(&rounded), sizeof rounded);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: retail_logs TABLES OUT FIRST COUNT\n");
    return 2;
  }
  const std::string out = argv[2];
  const JourneyData data = otss::internal::load_journey(argv[1]);
  std::filesystem::create_directories(out);
  write_decisions(data, out + "/decisions.f32");
  const auto first = std::strtoull(argv[3], nullptr, 10);
  const auto count = std::strtoull(argv[4], nullptr, 10);
  for (auto seed = first; seed < first + count; ++seed) {
    const Simulation world = otss::internal::simulate_journey(data, seed);
    const std::string folder = fmt::format("{}/{}", out, seed);
    std::filesystem::create_directories(folder);
    write_rows(world, world.train, true, folder + "/log.csv");
    write_rows(world, world.test, false, folder + "/test.csv");
    write_truth(world, folder + "/truth.csv");
  }
  return 0;
}
