#include "base/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/temporary_files.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss {
namespace {

using namespace internal;

// Signals belong to the whole process, so each test sends them in a process of its own.
class InterruptDeathTest : public testing::TestWithParam<int> {
 protected:
  InterruptDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void interrupted_by(int signal) {
  std::signal(signal, SIG_DFL);
  install_interrupt_handler();
  check_interrupt();  // nothing yet
  std::raise(signal);
  try {
    check_interrupt();
  } catch (const Error& error) {
    std::_Exit(error.code() == ErrorCode::kInterrupted ? 0 : 1);
  }
  std::_Exit(2);
}

TEST_P(InterruptDeathTest, IsAnExceptionAtTheNextCheck) {
  EXPECT_EXIT(interrupted_by(GetParam()), testing::ExitedWithCode(0), "");
}

TEST_P(InterruptDeathTest, EndsTheProcessTheSecondTime) {
  EXPECT_EXIT(
      {
        std::signal(GetParam(), SIG_DFL);
        install_interrupt_handler();
        std::raise(GetParam());
        std::raise(GetParam());
      },
      testing::KilledBySignal(GetParam()), "");
}

TEST_P(InterruptDeathTest, StaysIgnoredIfItWasIgnored) {
  EXPECT_EXIT(
      {
        std::signal(GetParam(), SIG_IGN);
        install_interrupt_handler();
        std::raise(GetParam());
        std::raise(GetParam());
        std::_Exit(is_interrupted() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(FileSizeLimitDeathTest, IsAnErrorOfTheWrite) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        std::raise(SIGXFSZ);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_P(InterruptDeathTest, EndsAComputationThatDoesNotListen) {
  // The tests of several signals may run at the same time, so each has a file of its own.
  const std::string file = testing::TempDir() + "otss_interrupt_test_" + std::to_string(GetParam());
  EXPECT_EXIT(
      {
        std::signal(GetParam(), SIG_DFL);
        std::ofstream(file) << "half";
        register_temporary_file(file);
        install_interrupt_handler("the last line");
        std::raise(GetParam());
        while (true) pause();
      },
      testing::ExitedWithCode(1), "the last line");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_P(InterruptDeathTest, LetsAComputationReportThatHasEnded) {
  EXPECT_EXIT(
      {
        std::signal(GetParam(), SIG_DFL);
        install_interrupt_handler("the last line");
        std::raise(GetParam());
        end_of_computation();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptDeathTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace otss
