#include "base/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

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

TEST_F(AtomicFileTest, CreatesWhatADanglingLinkPointsTo) {
  const fs::path link = folder / "link";
  fs::create_symlink("later.txt", link);
  AtomicFile file(link);
  file.write("text");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(folder / "later.txt"), "text");
}

TEST_F(AtomicFileTest, RefusesLinksInACircle) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THAT(error_of([&] { const AtomicFile file(folder / "a"); }), HasSubstr("circle"));
  EXPECT_EQ(files_there(), 2);
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheFileItReplaces) {
  for (const auto mode : {fs::perms(0600), fs::perms(0640), fs::perms(0666)}) {
    put("before");
    fs::permissions(path, mode);
    AtomicFile file(path);
    for (const auto& either : fs::directory_iterator(folder))
      EXPECT_EQ(either.status().permissions(), mode) << either.path();
    EXPECT_EQ(files_there(), 2);
    file.commit();
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST_F(AtomicFileTest, RemovesWhatAKilledProcessLeft) {
  const fs::path left = folder / ".out.txt.0123456789abcdef.otss-tmp";
  std::ofstream(left) << "half";
  const fs::path of_another_file = folder / ".out.csv.0123456789abcdef.otss-tmp";
  std::ofstream(of_another_file) << "half";
  AtomicFile file(path);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(of_another_file));
}

TEST_F(AtomicFileTest, TakesANameThatLeavesNoSpaceForAnEnding) {
  path = folder / std::string(255, 'n');
  AtomicFile file(path);
  file.write("text");
  file.commit();
  EXPECT_EQ(content(path), "text");
}

TEST_F(AtomicFileTest, WritesToAPipeAsSoonAsSomebodyReads) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string large(1'000'000, 'x');
  std::string received;
  std::thread reader([&] { received = content(path); });
  AtomicFile file(path);
  file.write(large);
  file.commit();
  reader.join();
  EXPECT_EQ(received, large);
}

TEST_F(AtomicFileTest, SaysThatNobodyReadsAPipe) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { const AtomicFile file(path); }),
              HasSubstr("no process reads from this pipe"));
}

TEST_F(AtomicFileTest, CanBeCheckedBeforeTheWork) {
  require_writable(path);
  EXPECT_EQ(files_there(), 0);
  put("before");
  require_writable(path);
  EXPECT_EQ(content(path), "before");
  EXPECT_EQ(files_there(), 1);
  EXPECT_THAT(error_of([&] { require_writable(folder / "missing" / "out.txt"); }),
              HasSubstr("does not exist; create it first"));
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

TEST_F(AtomicFileTest, GivesBackWhatWasWritten) {
  AtomicFile file(path);
  file.write("some text, ");
  file.write(std::string(100'000, 'x'));
  EXPECT_EQ(file.read(5, 9), "text, xxx");
  file.write("more");
  EXPECT_EQ(file.read(100'011, 4), "more");
  file.commit();
  EXPECT_EQ(content(path).size(), 100'015U);
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
