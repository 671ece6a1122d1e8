// Turns Ctrl-C into an exception: long loops call check_interrupt(), and stack unwinding removes
// temporary files.
#pragma once

namespace otss {

// Throws Error(kInterrupted) if one of the signals has arrived that install_interrupt_handler()
// (otss/base/process.hpp) handles.
void check_interrupt();

// The same question without an exception, for code that other libraries call.
bool is_interrupted() noexcept;

}  // namespace otss
