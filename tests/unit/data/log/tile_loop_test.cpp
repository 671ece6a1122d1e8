// Loops over the tiles of a file, and what they leave in the memory of the process.
#include "data/log/disk/tile_loop.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "base/threads.hpp"
#include "data/log/disk/tile_file.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::test {

using namespace internal;

namespace {

// Returns how many kilobytes of the mapping at this address are in the memory of this process.
std::size_t resident_kilobytes(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t dash = line.find('-');
    if (line.find_first_not_of("0123456789abcdef") == dash && dash != std::string::npos) {
      const std::uintptr_t begin = std::stoull(line.substr(0, dash), nullptr, 16);
      const std::uintptr_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
      const auto place = reinterpret_cast<std::uintptr_t>(address);
      found = begin <= place && place < end;
    }
    if (found && line.starts_with("Rss:")) return std::stoull(line.substr(4));
  }
  return 0;
}

TEST(TileLoop, LeavesNothingInMemoryWhateverTheOrderOfTheTiles) {
  constexpr std::size_t kTiles = 1500;  // of 15 KB, so three steps of 8 MB
  constexpr std::size_t kTogether = 10;
  const Folder folder;
  TileMatrix tiles(std::make_shared<TileFile>(folder.path("")), 30);
  tiles.grow(kTiles * kTileRows);
  for (std::size_t i = 0; i < kTiles; ++i) *tiles.tile(i) = 1;
  tiles.prepare_seals();
  tiles.seal_tiles(0, kTiles);
  EXPECT_GT(resident_kilobytes(tiles.tile(0)), 20'000);
  for (const bool backwards : {false, true}) {
    TileLoop loop(tiles);
    parallel_for(kTiles / kTogether, 0, [&](std::size_t index) {
      const std::size_t part = backwards ? kTiles / kTogether - 1 - index : index;
      loop.finish(part * kTogether, kTogether);
    });
    EXPECT_EQ(resident_kilobytes(tiles.tile(0)), 0);
  }
  EXPECT_EQ(*tiles.tile(kTiles - 1), 1);
}

}  // namespace
}  // namespace otss::test
