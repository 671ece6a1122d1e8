// Reading a table of a PostgreSQL server:
//
//     bench_postgres ADDRESS THREADS
//
// Reads all columns of the table as numbers and prints the number of rows, the sum of all values and
// the seconds. bench/postgres compares the seconds with those of psql.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string>

#include "otss/data/table.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: bench_postgres ADDRESS THREADS\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const otss::TableReader reader(
      otss::TableSource{.path = arguments[1], .threads = std::atoi(arguments[2])});
  std::vector<otss::ColumnRequest> requests;
  for (const otss::ColumnInfo& column : reader.columns()) requests.push_back({column.name});
  std::size_t rows = 0;
  double sum = 0;
  reader.read_in_parallel(requests, [&](const otss::TableChunk& chunk) -> std::function<void()> {
    double part = 0;
    for (const otss::ColumnChunk& column : chunk.columns)
      part = std::accumulate(column.numbers.begin(), column.numbers.end(), part);
    return [&, part, num_rows = chunk.num_rows] {
      sum += part;
      rows += num_rows;
    };
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} {:.6f} {:.3f}\n", rows, sum, seconds.count());
}
