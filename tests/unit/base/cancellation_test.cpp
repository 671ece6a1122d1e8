#include "otss/base/cancellation.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(Cancellation, StopsTheThreadThatHasItsScope) {
  Cancellation cancellation;
  const Cancellation::Scope scope(&cancellation);
  EXPECT_NO_THROW(check_interrupt());
  cancellation.request();
  EXPECT_THROW(check_interrupt(), Error);
}

TEST(Cancellation, EndsWithItsScope) {
  Cancellation cancellation;
  cancellation.request();
  {
    const Cancellation::Scope scope(&cancellation);
    EXPECT_TRUE(is_interrupted());
    const Cancellation::Scope none(nullptr);
    EXPECT_FALSE(is_interrupted());
  }
  EXPECT_FALSE(is_interrupted());
}

TEST(Cancellation, DoesNotStopOtherThreads) {
  Cancellation cancellation;
  const Cancellation::Scope scope(&cancellation);
  cancellation.request();
  bool other_is_interrupted = true;
  std::thread([&] { other_is_interrupted = is_interrupted(); }).join();
  EXPECT_FALSE(other_is_interrupted);
}

TEST(Cancellation, StopsAllThreadsOfALoop) {
  Cancellation cancellation;
  const Cancellation::Scope scope(&cancellation);
  std::atomic<int> finished = 0;
  EXPECT_THROW(parallel_for(1000, 4,
                            [&](std::size_t i) {
                              if (i == 5) cancellation.request();
                              while (i > 5 && !is_interrupted()) std::this_thread::yield();
                              check_interrupt();
                              ++finished;
                            }),
               Error);
  EXPECT_LE(finished, 5);
}

// The parent has worker threads when it forks. The child has none of them, and waits for none.
TEST(ParallelFor, WorksInAForkedProcess) {
  parallel_for(100, 4, [](std::size_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> sum = 0;
    const auto caller = std::this_thread::get_id();
    parallel_for(100, 4, [&](std::size_t i) {
      if (std::this_thread::get_id() == caller) sum += static_cast<int>(i);
    });
    std::exit(sum == 4950 ? 0 : 1);  // also destroys the pool of the child
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace otss
