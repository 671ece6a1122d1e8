#include "base/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Signals, InterruptDeathTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace otss
