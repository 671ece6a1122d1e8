// Writes a log in Parquet files, whose outcomes are drawn from the mixture of made_log.hpp: columns x0 … x19,
// z0 … z9 and y, of 4 bytes each.
//
//   bench_cuda_parquet_log FOLDER ROWS COPIES     writes ROWS rows, and COPIES files of them in all
#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/threads.hpp"
#include "cuda/made_log.hpp"
#include "data/table/duckdb/connection.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using namespace otss::bench;

// Returns a linear function of the columns prefix0, prefix1, …, whose intercept comes last.
std::string linear(const double* coefficients, char prefix, int count) {
  std::string text = fmt::format("{}", coefficients[count]);
  for (int i = 0; i < count; ++i) text += fmt::format(" + {} * {}{}", coefficients[i], prefix, i);
  return text;
}

std::string predictor() {
  const std::vector<double> theta = true_theta();
  std::string sum = "0", total = "0";
  for (int k = 0; k < kLayout.num_experts; ++k) {
    const bool is_last = k + 1 == kLayout.num_experts;
    const std::string share = is_last ? "1" : fmt::format("exp(g{})", k);
    sum += fmt::format(" + {} * ({})", share,
                       linear(&theta[kLayout.expert(k)], 'z', kLayout.num_factors));
    total += " + " + share;
  }
  return fmt::format("{} + ({}) / ({})",
                     linear(&theta[kLayout.baseline()], 'x', kLayout.num_contexts), sum, total);
}

std::string query(std::size_t num_rows) {
  const std::vector<double> theta = true_theta();
  std::string columns, drawn, gates;
  for (int i = 0; i < kColumns; ++i) {
    const bool is_context = i < kLayout.num_contexts;
    const std::string name =
        fmt::format("{}{}", is_context ? 'x' : 'z', is_context ? i : i - kLayout.num_contexts);
    drawn += fmt::format("{}(3.4 * random() - 1.7)::FLOAT AS {}", i > 0 ? ", " : "", name);
    columns += name + ", ";
  }
  for (int k = 0; k + 1 < kLayout.num_experts; ++k)
    gates +=
        fmt::format(", {} AS g{}", linear(&theta[kLayout.gate(k)], 'x', kLayout.num_contexts), k);
  return fmt::format(
      "WITH drawn AS MATERIALIZED (SELECT {}, random() AS u FROM range({})), "
      "scored AS (SELECT *{} FROM drawn) "
      "SELECT {}(u < 1 / (1 + exp(-({}))))::INT AS y FROM scored",
      drawn, num_rows, gates, columns, predictor());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: bench_cuda_parquet_log FOLDER ROWS COPIES\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto rows = static_cast<std::size_t>(std::atof(argv[2]));
  const std::size_t copies = std::strtoul(argv[3], nullptr, 10);
  const auto file = [&](std::size_t i) { return folder / fmt::format("part{}.parquet", i); };
  duck::Connection connection(hardware_threads());
  connection.execute("SELECT setseed(0.5)");
  connection.execute(
      fmt::format("COPY ({}) TO '{}' (FORMAT parquet)", query(rows), file(0).string()));
  parallel_for(copies - 1, hardware_threads(),
               [&](std::size_t i) { std::filesystem::copy_file(file(0), file(i + 1)); });
}
