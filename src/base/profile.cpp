#include "base/profile.hpp"

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "base/threads.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kNumStages = word_table(Stage{}).size();

std::array<std::atomic<std::int64_t>, kNumStages> nanoseconds{};
std::atomic<std::uint64_t> rows_evaluated{0};
thread_local StageTimer* running_timer = nullptr;

}  // namespace

StageTimer::StageTimer(Stage stage) : stage_(stage), paused_(running_timer) {
  if (paused_ != nullptr) paused_->add(since_);
  running_timer = this;
}

StageTimer::~StageTimer() {
  const Clock::time_point now = Clock::now();
  add(now);
  if (paused_ != nullptr) paused_->since_ = now;
  running_timer = paused_;
}

void StageTimer::add(Clock::time_point until) const {
  const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(until - since_).count();
  nanoseconds[static_cast<std::size_t>(stage_)].fetch_add(passed, std::memory_order_relaxed);
}

void count_rows(std::size_t num_rows) noexcept {
  rows_evaluated.fetch_add(num_rows, std::memory_order_relaxed);
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

void add_to_profile(Stage stage, double seconds) {
  nanoseconds[static_cast<std::size_t>(stage)].fetch_add(static_cast<std::int64_t>(1e9 * seconds),
                                                         std::memory_order_relaxed);
}

Profile profile_of_process() {
  Profile profile;
  for (std::size_t i = 0; i < profile.seconds.size(); ++i)
    profile.seconds[i] = 1e-9 * static_cast<double>(nanoseconds[i].load());
  profile.rows_evaluated = static_cast<double>(rows_evaluated.load());
  profile.tasks = num_tasks_done();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::size_t kKibibyte = 1024;
  profile.peak_memory_bytes = static_cast<std::size_t>(usage.ru_maxrss) * kKibibyte;
  return profile;
}

}  // namespace otss
