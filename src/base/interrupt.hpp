// This header turns Ctrl-C into an exception. Long loops call check_interrupt(), which throws the
// exception. The destructors that then run remove temporary files.
#pragma once

#include "otss/base/cancellation.hpp"

namespace otss::internal {

// Throws Error(kInterrupted) if is_interrupted() returns true, or if another part of the same
// parallel loop has failed (check_cancelled() in threads.hpp).
void check_interrupt();

// Returns true if a signal has arrived, or if the Cancellation of this thread is requested.
// install_interrupt_handler() (otss/base/process.hpp) lists the signals. Callbacks of other
// libraries call this function, because they must not throw.
bool is_interrupted() noexcept;

// Returns the Cancellation that holds for this thread, or null. A thread that works for another
// thread makes a Cancellation::Scope with this pointer.
const Cancellation* current_cancellation() noexcept;

}  // namespace otss::internal
