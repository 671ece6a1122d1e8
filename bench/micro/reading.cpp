// Reading a log on several threads, compared with DuckDB's own sums over the same columns of the
// same file with as many threads:
//
//     bench_reading ROWS THREADS...
//
// For CSV and Parquet and each number of threads, prints the median of three runs of both, in
// alternation, and their ratio. First it checks that every number of threads gives the same log.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "data/table/duckdb/connection.hpp"
#include "otss/data/logged_data.hpp"
#include "own_process.hpp"

namespace {

using otss::bench::in_own_process;
using otss::bench::Measured;
using otss::bench::timed;
using otss::internal::duck::Connection;

constexpr int kContexts = 20;
constexpr int kFactors = 9;
constexpr int kRepeats = 3;

otss::Roles roles() {
  otss::Roles roles{.outcome = "y"};
  for (int i = 0; i < kContexts; ++i) roles.contexts.push_back(fmt::format("x{}", i));
  for (int i = 0; i < kFactors; ++i) roles.factors.push_back(fmt::format("z{}", i));
  return roles;
}

std::vector<std::string> column_names() {
  auto names = roles().contexts;
  for (const std::string& name : roles().factors) names.push_back(name);
  names.push_back("y");
  return names;
}

// Returns SQL text in which `form` is filled in with each column name.
std::string for_each_column(fmt::string_view form) {
  std::string sql;
  for (const std::string& name : column_names())
    sql += (sql.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), name);
  return sql;
}

// Every value is a hash of its row and column, as in a log of measurements with six decimals.
void generate(const std::string& path, int rows) {
  const std::string values = for_each_column(
      "CASE WHEN '{0}' = 'y' THEN hash(i, 'y') % 2 ELSE round((hash(i, '{0}') % 1000003) / "
      "1000003.0 * 20 - 10, 6) END AS {0}");
  Connection connection(otss::internal::hardware_threads());
  connection.execute(
      fmt::format("COPY (SELECT {} FROM range({}) r(i)) TO '{}'", values, rows, path));
}

void sum(const std::string& path, int threads) {
  Connection connection(threads);
  connection.execute(fmt::format("SELECT {} FROM '{}'", for_each_column("sum({0})"), path));
}

otss::LoggedData read(const std::string& path, int threads) {
  return otss::read_log(otss::TableSource{.path = path, .threads = threads}, roles());
}

// Returns the median of three values.
double median(std::array<double, kRepeats> values) {
  std::sort(values.begin(), values.end());
  return values[kRepeats / 2];
}

void compare(const std::string& path, const char* format, int threads) {
  std::array<double, kRepeats> by_duckdb{}, by_otss{};
  double peak = 0;
  for (int i = 0; i < kRepeats; ++i) {
    by_duckdb[i] = in_own_process([&] { return timed([&] { sum(path, threads); }); }).seconds;
    const Measured ours = in_own_process([&] { return timed([&] { read(path, threads); }); });
    by_otss[i] = ours.seconds;
    peak = std::max(peak, ours.peak_bytes);
  }
  fmt::print("{:<8}{:>8}{:>12.3f}{:>12.3f}{:>9.0f} %{:>12.0f}\n", format, threads,
             median(by_duckdb), median(by_otss), 100 * median(by_duckdb) / median(by_otss),
             peak / 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "usage: bench_reading ROWS THREADS...\n");
    return 2;
  }
  const int rows = std::atoi(arguments[1]);
  const std::string base =
      (std::filesystem::temp_directory_path() / fmt::format("otss-bench-{}", getpid())).string();
  fmt::print("{} rows x {} columns; bar: 50 % of DuckDB's own sums\n", rows, column_names().size());
  fmt::print("{:<8}{:>8}{:>12}{:>12}{:>11}{:>12}\n", "format", "threads", "DuckDB, s",
             "read_log, s", "share", "peak, MB");
  bool all_equal = true;
  for (const char* format : {"csv", "parquet"}) {
    const std::string path = fmt::format("{}.{}", base, format);
    in_own_process([&] { return timed([&] { generate(path, rows); }); });
    const auto is_same = [&](int threads) {
      return in_own_process([&] {
               return read(path, threads).fingerprint() == read(path, 1).fingerprint() ? 1.0 : 0.0;
             }).seconds == 1.0;
    };
    for (int i = 2; i < count && all_equal; ++i) {
      all_equal = is_same(std::atoi(arguments[i]));
      if (all_equal) compare(path, format, std::atoi(arguments[i]));
    }
    std::filesystem::remove(path);
  }
  if (!all_equal) fmt::print(stderr, "the log depends on the number of threads\n");
  return all_equal ? 0 : 1;
}
