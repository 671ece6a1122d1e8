// Long loops call check_interrupt(), so that Ctrl-C unwinds them and removes what is half done.
#pragma once

namespace otss {

// Throws Error(kInterrupted) after a signal that install_interrupt_handler()
// (otss/base/process.hpp) has asked for.
void check_interrupt();

}  // namespace otss
