// What a program asks of its own process. A library that uses otss leaves these to the program.
#pragma once

#include <string_view>

namespace otss {

// The version of otss that is linked, "1.2.3".
std::string_view version();

// The instruction set of the vector kernels on this machine: "baseline", "avx2" or "avx512". The
// environment variable OTSS_ISA forces one; an unknown or unsupported one is an Error(kUsage).
std::string_view instruction_set();

// SIGINT, SIGTERM and SIGHUP end long work with an Error(kInterrupted) at its next step, so that
// nothing is left half written; a second signal ends the process at once.
void install_interrupt_handler();

// Keeps freed memory for the next allocation instead of giving it back to the system. A solver
// called a thousand times asks for the same large blocks each time: fetching them anew costs as
// much as the solving and makes threads wait for each other. Does nothing where the C library has
// no such setting.
void keep_freed_memory();

}  // namespace otss
