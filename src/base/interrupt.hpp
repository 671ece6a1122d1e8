// This header turns Ctrl-C into an exception. Long loops call check_interrupt(), which throws the
// exception. The destructors that then run remove temporary files.
#pragma once

namespace otss::internal {

// Throws Error(kInterrupted) if a signal has arrived. install_interrupt_handler()
// (otss/base/process.hpp) lists the signals.
void check_interrupt();

// Returns the same without an exception, for code that other libraries call.
bool is_interrupted() noexcept;

}  // namespace otss::internal
