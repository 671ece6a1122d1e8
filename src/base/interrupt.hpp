// This header turns Ctrl-C into an exception. Long loops call check_interrupt(), which throws the
// exception. The destructors that then run remove temporary files.
#pragma once

namespace otss::internal {

// Throws Error(kInterrupted) if a signal has arrived. install_interrupt_handler()
// (otss/base/process.hpp) lists the signals. Throws too if another part of the same parallel loop
// has failed (check_cancelled() in threads.hpp).
void check_interrupt();

// Returns true if one of the signals of install_interrupt_handler() has arrived. Callbacks of other
// libraries call this function, because they must not throw.
bool is_interrupted() noexcept;

}  // namespace otss::internal
