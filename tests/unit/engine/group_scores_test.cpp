#include "engine/group_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "data/log/disk/tile_file.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kRows = 200'000, kGroups = 700;
constexpr MixtureLayout kLayout{.num_contexts = 40, .num_factors = 20, .num_experts = 1};

// Returns how many bytes of the mapping that holds `place` are in the memory of this process.
std::size_t resident_bytes(const void* place) {
  constexpr std::size_t kKilobyte = 1024;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::ifstream maps("/proc/self/smaps");
  bool is_this = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-')
      is_this = begin <= address && address < end;
    if (is_this && line.starts_with("Rss:")) return std::stoull(line.substr(4)) * kKilobyte;
  }
  return 0;
}

TEST(GroupScores, KeepLittleOfAFileInMemory) {
  TileMatrix features(std::make_shared<TileFile>(std::filesystem::temp_directory_path().string()),
                      kLayout.num_contexts + kLayout.num_factors);
  features.grow(kRows);
  for (std::size_t i = 0; i < kRows; i += kTileRows) features.at(i, 0) = 1;
  features.release_rows(0, kRows);
  const SignedWeights weights(std::vector<float>(kRows, 1.0F), {});
  std::vector<std::uint32_t> groups;
  for (std::size_t i = 0; i < kRows; ++i) groups.push_back(static_cast<std::uint32_t>(i % kGroups));
  std::size_t most = 0, asked = 0;
  const auto slopes_of = [&](std::size_t first, std::span<double> slopes) {
    most = std::max(most, resident_bytes(features.tile(0)));
    EXPECT_EQ(first, asked);
    asked += slopes.size();
    std::ranges::fill(slopes, 1.0);
  };
  const std::vector<double> theta(kLayout.size(), 0.0);
  group_outer_products({features, weights, groups}, kLayout, theta, slopes_of, 2);
  EXPECT_EQ(asked, kRows);
  EXPECT_GT(most, 0);
  EXPECT_LT(most, kRows * features.num_columns() * sizeof(float) / 2);
}

}  // namespace
}  // namespace otss::internal
