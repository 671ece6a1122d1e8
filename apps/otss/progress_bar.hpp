#pragma once

#include <chrono>
#include <string_view>

namespace otss::app {

// A ProgressBar prints one line on stderr and overwrites it as the work goes on. It prints nothing
// if stderr is not a terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows the fraction of the work that is done, from 0 to 1, and the name `what` of the current
  // step.
  void show(double fraction, std::string_view what);

 private:
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace otss::app
