// This header turns Ctrl-C into an exception. Long loops call check_interrupt(), which throws the
// exception. The destructors that then run remove temporary files.
#pragma once

namespace otss::internal {

// Throws Error(kInterrupted) if a signal has arrived. install_interrupt_handler()
// (otss/base/process.hpp) lists the signals.
void check_interrupt();

}  // namespace otss::internal
