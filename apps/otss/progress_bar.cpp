#include "progress_bar.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "messages.hpp"

namespace otss::app {

ProgressBar::ProgressBar() : terminal_(!are_notes_muted() && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_to_stderr("\r\033[K");
}

void ProgressBar::show(double fraction, std::string_view what) {
  constexpr auto kInterval = std::chrono::milliseconds(50);
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < kInterval) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 30;
  const int filled = std::clamp(static_cast<int>(fraction * kWidth), 0, kWidth);
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < filled ? "━" : "─";
  write_to_stderr(fmt::format("\r\033[K{} {:3.0f} %  {}", bar, 100 * fraction, what));
}

}  // namespace otss::app
