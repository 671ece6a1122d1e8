// Copies a table to a Parquet file, for the benchmarks that read one.
//
//   to_parquet IN.csv OUT.parquet
#include <fmt/core.h>

#include "base/threads.hpp"
#include "data/table/duckdb/connection.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: to_parquet IN.csv OUT.parquet\n");
    return 2;
  }
  otss::internal::duck::Connection connection(otss::internal::hardware_threads());
  connection.execute(
      fmt::format("COPY (SELECT * FROM '{}') TO '{}' (FORMAT parquet)", argv[1], argv[2]));
  return 0;
}
