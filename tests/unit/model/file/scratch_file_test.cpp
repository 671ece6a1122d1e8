// The file that keeps the encoded rows of a log.
#include "otss/model/scratch_file.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data/log/disk/tile_file.hpp"
#include "data/log/disk/tile_loop.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/data/stream.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::test {

using namespace internal;
using testing::HasSubstr;

namespace {

// A log with weights and groups whose encoded rows are in a scratch file.
class Scratch : public testing::Test {
 protected:
  static constexpr std::size_t kScratchRows = 300;

  Scratch() {
    std::string text = "x,region,z,y,w,person\n";
    for (std::size_t i = 0; i < kScratchRows; ++i)
      text += fmt::format("{},{},{},{},{},{}\n", 0.25 * (i % 9), i % 3 == 0 ? "north" : "south",
                          0.5 * (i % 4), i % 2, 1 + i % 3, i / 5);
    source_.path = folder_.write("log.csv", text);
  }

  LoggedData log() const {
    const Roles roles{.contexts = {"x", "region"},
                      .factors = {"z"},
                      .outcome = "y",
                      .weight = "w",
                      .group = "person"};
    return stream_log(TableReader(source_), roles, OutcomeKind::kBinary, folder_.path(""));
  }
  std::string saved() const {
    save_scratch(log(), "key", path_);
    return read_file(path_);
  }
  std::string refusal(const std::string& bytes) const {
    folder_.write("rows.tmp", bytes);
    return error_of([&] { load_scratch(path_, "key"); });
  }

  Folder folder_;
  TableSource source_;
  std::string path_ = folder_.path("rows.tmp");
};

TEST_F(Scratch, HasEverythingThatTheLogHas) {
  const LoggedData before = log();
  save_scratch(before, "key", path_);
  const LoggedData after = load_scratch(path_, "key").value();
  EXPECT_EQ(after.num_rows(), kScratchRows);
  EXPECT_TRUE(std::ranges::equal(after.outcomes(), before.outcomes()));
  EXPECT_TRUE(std::ranges::equal(after.weights(), before.weights()));
  EXPECT_TRUE(std::ranges::equal(after.groups(), before.groups()));
  EXPECT_EQ(after.fingerprint(), before.fingerprint());
  for (std::size_t row = 0; row < kScratchRows; ++row) {
    for (int c = 0; c < before.features().num_columns(); ++c)
      EXPECT_EQ(after.features().at(row, c), before.features().at(row, c));
  }
}

TEST_F(Scratch, ThatDoesNotExistIsNoError) {
  EXPECT_FALSE(load_scratch(folder_.path("none.tmp"), "key").has_value());
}

TEST_F(Scratch, WithOneChangedByteIsRefusedWhereverTheByteIs) {
  const std::string whole = saved();
  for (std::size_t place = 0; place < whole.size(); place += 97) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    EXPECT_THAT(refusal(damaged), testing::AnyOf(HasSubstr("damaged"), HasSubstr("not a scratch")));
  }
}

TEST_F(Scratch, ThatIsCutOffIsRefusedWhereverItEnds) {
  const std::string whole = saved();
  for (std::size_t size = 0; size < whole.size(); size += 501)
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("not a scratch file of otss"));
  EXPECT_THAT(refusal(whole + "more"), HasSubstr("not a scratch file of otss"));
  // The end mark is right, but bytes before it are missing.
  EXPECT_THAT(refusal(whole.substr(1000)), HasSubstr("checksum is wrong"));
}

TEST_F(Scratch, OfAnotherTableIsRefused) {
  saved();
  EXPECT_THAT(error_of([&] { load_scratch(path_, "other key"); }),
              HasSubstr("made from another table"));
}

TEST_F(Scratch, AppearsCompletelyOrNotAtAll) {
  const std::string nowhere = folder_.path("no folder/rows.tmp");
  EXPECT_THAT(error_of([&] { save_scratch(log(), "key", nowhere); }),
              HasSubstr("cannot write the scratch file"));
  EXPECT_EQ(folder_.num_files(), 1);  // the log
}

TEST_F(Scratch, OnAFullDiskIsAnErrorThatLeavesNothing) {
  constexpr std::size_t kMoreThanAnyDisk = std::size_t{1} << 60U;
  TileFile file(folder_.path(""));
  EXPECT_THAT(error_of([&] { file.reserve(kMoreThanAnyDisk); }),
              testing::AllOf(HasSubstr("cannot write the scratch file"), HasSubstr("--scratch")));
  EXPECT_EQ(folder_.num_files(), 1);
}

TEST_F(Scratch, ThatIsOpenedAgainIsCheckedWhileItIsRead) {
  saved();
  const LoggedData rows = load_scratch(path_, "key").value();
  const TileMatrix& tiles = rows.features();
  // The same file gets another byte in its first tile after it was opened.
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary).seekp(100).put('?');
  tiles.check_tiles(1, tiles.num_tiles() - 1);
  EXPECT_THAT(error_of([&] { tiles.check_tiles(0, 1); }),
              HasSubstr("does not have the bytes that were written"));
}

TEST_F(Scratch, WithoutANameIsCheckedWhileItIsRead) {
  const LoggedData rows = log();
  const TileMatrix& tiles = rows.features();
  const float other = 7;
  ASSERT_EQ(pwrite(tiles.file()->descriptor(), &other, sizeof(other), 4000), sizeof(other));
  EXPECT_THAT(error_of([&] { TileLoop(tiles).finish(0, tiles.num_tiles()); }),
              HasSubstr("does not have the bytes that were written"));
}

}  // namespace
}  // namespace otss::test
