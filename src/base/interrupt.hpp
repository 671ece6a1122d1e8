// Ctrl-C as an exception: long loops call check_interrupt(), and stack unwinding removes temporary
// files.
#pragma once

namespace otss {

// Throws Error(kInterrupted) once a signal has arrived that install_interrupt_handler()
// (otss/base/process.hpp) watches for.
void check_interrupt();

}  // namespace otss
