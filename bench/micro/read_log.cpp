// The cost of reading a log: seconds compared with DuckDB's streaming of the same columns, and the
// peak memory of reading and of a complete default fit compared with the size of the encoded data.
// Each measurement runs in its own process, so that its peak memory is measured separately.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "data/log/tile_matrix.hpp"
#include "data/table/duckdb/connection.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"
#include "own_process.hpp"

namespace {

constexpr int kRows = 2'000'000;
constexpr int kContexts = 20;
constexpr int kFactors = 9;
constexpr int kRepeats = 7;

using otss::bench::in_own_process;
using otss::bench::Measured;
using otss::bench::timed;

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

// x_i and z_i are hashes of the row number, uniform in (0, 1), so that any row can be recomputed.
// The outcomes come from two experts, so that a fit has as much work as on real data.
void generate(const std::string& path) {
  std::string select;
  for (const std::string& name : column_names()) {
    const std::string value =
        name == "y" ? "CAST((hash(i, 'y') % 1000003) / 1000003.0 < 1 / (1 + exp(4 * (0.5 - z0) * "
                      "(CASE WHEN x0 < 0.5 THEN 1 ELSE -1 END))) AS DOUBLE)"
                    : fmt::format("(hash(i, '{}') % 1000003) / 1000003.0::DOUBLE", name);
    select += fmt::format("{}{} AS {}", select.empty() ? "" : ", ", value, name);
  }
  otss::internal::duck::Connection connection(otss::internal::hardware_threads());
  connection.execute(fmt::format("COPY (SELECT {} FROM range({}) r(i)) TO '{}' (FORMAT parquet)",
                                 select, kRows, path));
}

// DuckDB's streaming as in its manual: the calling thread fetches the chunks one by one, and
// DuckDB's workers may use both cores.
void scan(const std::string& path) {
  std::string select;
  for (const std::string& name : column_names()) {
    select += fmt::format("{}CAST({} AS DOUBLE)", select.empty() ? "" : ", ", name);
  }
  select = fmt::format("SELECT {} FROM read_parquet('{}')", select, path);
  const otss::internal::duck::Connection connection(otss::internal::hardware_threads());
  duckdb_prepared_statement statement = nullptr;
  duckdb_pending_result pending = nullptr;
  duckdb_result result{};
  duckdb_prepare(connection.handle(), select.c_str(), &statement);
  duckdb_pending_prepared_streaming(statement, &pending);
  duckdb_execute_pending(pending, &result);
  idx_t num_rows = 0;
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) {
    num_rows += duckdb_data_chunk_get_size(chunk);
    duckdb_destroy_data_chunk(&chunk);
  }
  duckdb_destroy_result(&result);
  duckdb_destroy_pending(&pending);
  duckdb_destroy_prepare(&statement);
  if (num_rows != kRows) std::abort();
}

// The time to write once to newly allocated memory of this size, which any reader needs. It is
// printed as best and worst, since it can vary tenfold between runs.
void touch_fresh_memory() {
  otss::internal::TileMatrix tiles(kRows, kContexts + kFactors);
  constexpr std::size_t kPageFloats = 4096 / sizeof(float);
  const std::size_t size = tiles.num_tiles() * tiles.tile_size();
  for (std::size_t i = 0; i < size; i += kPageFloats) tiles.tile(0)[i] = 1;
}

bool is_right(const std::string& path) {
  const otss::LoggedData log = otss::read_log(path, roles());
  if (log.num_rows() != kRows || log.num_contexts() != kContexts || log.num_factors() != kFactors)
    return false;
  otss::internal::duck::Connection connection(otss::internal::hardware_threads());
  for (const int row : {0, 1234567, kRows - 1}) {
    const auto value = connection.first_row(fmt::format(
        "SELECT CAST((hash({}::BIGINT, 'z3') % 1000003) / 1000003.0::DOUBLE AS VARCHAR)", row));
    const auto& factor = log.encoder().factors[3];
    const double expected = (std::stod((*value)[0].value()) - factor.center) / factor.scale;
    if (std::abs(log.features().at(static_cast<std::size_t>(row), kContexts + 3) - expected) > 1e-5)
      return false;
  }
  return true;
}

}  // namespace

int main() {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("otss-bench-{}.parquet", getpid()))
          .string();
  in_own_process([&] { return timed([&] { generate(path); }); });
  const Measured verified = in_own_process([&] { return is_right(path) ? 1.0 : 0.0; });
  if (verified.seconds != 1.0) {
    fmt::print(stderr, "read_log gave a wrong result, so no time is measured\n");
    std::filesystem::remove(path);
    return 1;
  }

  // The measurements alternate, so that other load on the machine affects both.
  double scan_seconds = INFINITY;
  double read_seconds = INFINITY;
  double touch_best = INFINITY;
  double touch_worst = 0;
  double peak = 0;
  for (int i = 0; i < kRepeats; ++i) {
    scan_seconds =
        std::min(scan_seconds, in_own_process([&] { return timed([&] { scan(path); }); }).seconds);
    const double touch = in_own_process([] { return timed(touch_fresh_memory); }).seconds;
    touch_best = std::min(touch_best, touch);
    touch_worst = std::max(touch_worst, touch);
    const Measured read =
        in_own_process([&] { return timed([&] { otss::read_log(path, roles()); }); });
    read_seconds = std::min(read_seconds, read.seconds);
    peak = std::max(peak, read.peak_bytes);
  }
  const Measured fit =
      in_own_process([&] { return timed([&] { otss::fit(otss::read_log(path, roles())); }); });
  std::filesystem::remove(path);

  const double encoded = 4.0 * kRows * (kContexts + kFactors);
  fmt::print("read_log, {} rows x {} columns of Parquet, best of {}\n", kRows,
             kContexts + kFactors + 1, kRepeats);
  fmt::print("{:<34}{:>10.3f} s\n", "DuckDB streams the columns", scan_seconds);
  fmt::print("{:<34}{:>10.3f} s   (worst {:.3f})\n", "touching fresh memory of that size",
             touch_best, touch_worst);
  fmt::print("{:<34}{:>10.3f} s\n", "read_log", read_seconds);
  fmt::print("{:<34}{:>10.1f} %   (bar: 70)\n", "share of DuckDB's scan rate",
             100 * scan_seconds / read_seconds);
  fmt::print("{:<34}{:>10.0f} MB\n", "encoded f32 data", encoded / 1e6);
  fmt::print("{:<34}{:>10.0f} MB   {:.2f} x the data\n", "peak memory of read_log", peak / 1e6,
             peak / encoded);
  fmt::print("{:<34}{:>10.0f} MB   {:.2f} x the data (bar: 2.5), {:.1f} s\n",
             "peak memory of a default fit", fit.peak_bytes / 1e6, fit.peak_bytes / encoded,
             fit.seconds);
  return 0;
}
