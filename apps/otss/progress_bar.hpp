#pragma once

#include <chrono>
#include <string_view>

namespace otss::app {

// A progress bar on stderr, on one line that is overwritten. Prints nothing if stderr is not a
// terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows that `fraction` of the work is done, from 0 to 1; `what` is the current step.
  void show(double fraction, std::string_view what);

 private:
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace otss::app
