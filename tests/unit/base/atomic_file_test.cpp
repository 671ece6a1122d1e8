#include "base/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

namespace fs = std::filesystem;
using testing::HasSubstr;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) / (std::string("otss_atomic_file_") + test->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
    path = folder / "out.txt";
  }
  ~AtomicFileTest() override { fs::remove_all(folder); }

  void put(std::string_view text) const { std::ofstream(path) << text; }

  static std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::size_t files_there() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  fs::path folder, path;
};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    return error.what();
  }
  return "no error";
}

TEST_F(AtomicFileTest, AppearsWholeAtCommit) {
  const std::string large(1'000'000, 'x');
  AtomicFile file(path);
  file.write("begin ");
  file.write(large);
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(content(path), "begin " + large);
  EXPECT_EQ(files_there(), 1);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  put("before");
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_EQ(content(path), "before");
  EXPECT_EQ(files_there(), 1);
}

TEST_F(AtomicFileTest, ReplacesWhatWasThere) {
  put("a longer text than the next");
  AtomicFile file(path);
  file.write("short");
  EXPECT_EQ(content(path), "a longer text than the next");
  file.commit();
  EXPECT_EQ(content(path), "short");
}

TEST_F(AtomicFileTest, ReplacesWhatALinkPointsToAndKeepsTheLink) {
  put("before");
  const fs::path link = folder / "link";
  fs::create_symlink(path, link);
  AtomicFile file(link);
  file.write("after");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(path), "after");
}

TEST_F(AtomicFileTest, CanBeMovedBeforeItIsCommitted) {
  AtomicFile file(path);
  file.write("one ");
  AtomicFile moved(std::move(file));
  moved.write("two");
  moved.commit();
  EXPECT_EQ(content(path), "one two");
  EXPECT_EQ(files_there(), 1);
}

TEST_F(AtomicFileTest, CanBeWrittenByName) {
  AtomicFile file(path);
  std::ofstream(file.temporary_path()) << "by a library";
  file.commit();
  EXPECT_EQ(content(path), "by a library");
}

TEST_F(AtomicFileTest, HoldsWhatTheLastOfTwoWritersCommitted) {
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(content(path), "first");
  EXPECT_EQ(files_there(), 1);
}

TEST_F(AtomicFileTest, IsWrittenDirectlyWhereItCannotBeReplaced) {
  AtomicFile device("/dev/null");
  EXPECT_EQ(device.temporary_path(), "/dev/null");
  device.write("text");
  device.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, SaysWhatIsWrongAndTheWayOut) {
  const std::string inside = (folder / "missing" / "out.txt").string();
  EXPECT_EQ(error_of([&] { const AtomicFile file(inside); }),
            "cannot write '" + inside + "': the folder '" + (folder / "missing").string() +
                "' does not exist; create it first");
  EXPECT_THAT(error_of([&] { const AtomicFile file(folder.string()); }),
              HasSubstr("this path is a folder; give the path of a file"));
  const std::string under_a_file = (path / "out.txt").string();
  put("a file");
  EXPECT_THAT(error_of([&] { const AtomicFile file(under_a_file); }), HasSubstr("Not a directory"));
}

TEST_F(AtomicFileTest, SaysThatTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(
      error_of([] {
        AtomicFile file("/dev/full");
        file.write("text");
        file.commit();
      }),
      "cannot write '/dev/full': the disk is full; free some space, or write to another disk");
}

}  // namespace
}  // namespace otss
