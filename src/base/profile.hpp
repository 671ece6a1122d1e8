// Measures what otss/base/profile.hpp reports.
#pragma once

#include <chrono>
#include <cstddef>

#include "otss/base/profile.hpp"

namespace otss::internal {

// While this object exists, the time counts for its stage. A timer that is made while another one
// exists in the same thread pauses the other, so that no second counts twice.
class StageTimer {
 public:
  explicit StageTimer(Stage stage);
  ~StageTimer();
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  void add(Clock::time_point until) const;

  Stage stage_;
  StageTimer* paused_;
  Clock::time_point since_ = Clock::now();
};

// Says that a loss and its gradient were computed at this many rows.
void count_rows(std::size_t num_rows) noexcept;

}  // namespace otss::internal
