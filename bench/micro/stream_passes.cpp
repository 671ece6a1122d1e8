// Passes over encoded rows in a scratch file (`fit --stream`): how fast they are compared with reading
// the same file, and with passes over rows in memory.
//
//   bench_stream_passes LOG.parquet FOLDER [disk]
//
// The log has the columns x1 … x20, z1 … z10 and y. The scratch file lies in FOLDER, on the disk to be
// measured. The sums of both places must have the same bits. With `disk`, nothing is kept in memory:
// run it so in a control group whose limit is smaller than the scratch file, and every pass reads the disk.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "data/log/disk/tile_file.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "otss/data/stream.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr int kExperts = 5;
constexpr double kBudgetSeconds = 6;  // of each measurement
constexpr double kGigabyte = 1e9;

LoggedData log_in(const std::string& path, const std::string& folder) {
  Roles roles{.outcome = "y"};
  for (int i = 1; i <= 20; ++i) roles.contexts.push_back(fmt::format("x{}", i));
  for (int i = 1; i <= 10; ++i) roles.factors.push_back(fmt::format("z{}", i));
  return stream_log(TableReader(path), roles, OutcomeKind::kBinary, folder);
}

SumRequest request_for(const LoggedData& log, Precision precision) {
  SumRequest request{.layout = {log.num_contexts(), log.num_factors(), kExperts},
                     .precision = precision};
  for (std::size_t i = 0; i < request.layout.size(); ++i)
    request.theta.push_back(0.3 * std::sin(static_cast<double>(i)));
  return request;
}

// Reads the first bytes of the file on all cores, in blocks of 1 MB.
void read_all(int descriptor, std::size_t bytes) {
  constexpr std::size_t kBlock = 1U << 20U;
  parallel_for((bytes + kBlock - 1) / kBlock, hardware_threads(), [&](std::size_t i) {
    thread_local std::vector<char> block(kBlock);
    const std::size_t count = std::min(kBlock, bytes - i * kBlock);
    if (pread(descriptor, block.data(), count, static_cast<off_t>(i * kBlock)) !=
        static_cast<ssize_t>(count))
      std::abort();
  });
}

struct Rate {
  const char* what;
  double seconds;
};

// Prints how long passes over the same rows take in memory. Returns false if their sums differ.
bool measure_in_memory(const std::string& path, const Rows& on_disk, const SumRequest& single,
                       const SumRequest& exact) {
  const LoggedData in_memory = log_in(path, "");
  const auto rows = make_cpu_rows(in_memory, 0);
  rows->aim({});
  if (on_disk.sum(single) != rows->sum(single) || on_disk.sum(exact) != rows->sum(exact))
    return false;
  for (const SumRequest* request : {&single, &exact}) {
    fmt::print("{:28} {:8.3f} s\n",
               request == &single ? "pass in memory, f32" : "pass in memory, f64",
               bench::best_seconds([&] { rows->sum(*request); }, kBudgetSeconds));
  }
  return true;
}

int measure(const std::string& path, const std::string& folder, bool disk_only) {
  const LoggedData on_disk = log_in(path, folder);
  const TileMatrix& tiles = on_disk.features();
  const std::size_t bytes = tiles.num_tiles() * tiles.tile_size() * sizeof(float);
  const auto rows = make_cpu_rows(on_disk, 0);
  rows->aim({});
  const SumRequest single = request_for(on_disk, Precision::kSingle);
  const SumRequest exact = request_for(on_disk, Precision::kDouble);
  if (!disk_only && !measure_in_memory(path, *rows, single, exact)) {
    fmt::print("the sums differ\n");
    return 1;
  }
  fmt::print("{} rows, {} columns, {:.2f} GB in the scratch file, {} threads\n", on_disk.num_rows(),
             tiles.num_columns(), static_cast<double>(bytes) / kGigabyte, hardware_threads());
  const auto best = [](const auto& work) { return bench::best_seconds(work, kBudgetSeconds); };
  const double read = best([&] { read_all(tiles.file()->descriptor(), bytes); });
  for (const auto& [what, seconds] :
       {Rate{"pread", read}, Rate{"pass from the file, f32", best([&] { rows->sum(single); })},
        Rate{"pass from the file, f64", best([&] { rows->sum(exact); })}}) {
    fmt::print("{:28} {:8.3f} s {:6.2f} GB/s {:5.0f} % of the read rate\n", what, seconds,
               static_cast<double>(bytes) / kGigabyte / seconds, 100 * read / seconds);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool disk_only = argc == 4 && std::string(argv[3]) == "disk";
  if (argc != 3 && !disk_only) {
    fmt::print("usage: bench_stream_passes LOG.parquet FOLDER [disk]\n");
    return 2;
  }
  return measure(argv[1], argv[2], disk_only);
}
