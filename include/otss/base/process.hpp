// This header has functions that return the version of otss, and functions that change settings of
// the whole process. Only a main program should change these settings; a library that uses otss
// should not.
#pragma once

#include <string_view>

namespace otss {

// Returns the version of the linked otss library, such as "1.2.3".
std::string_view version();

// Returns the instruction set that the vector kernels use on this machine: "baseline", "avx2" or
// "avx512". The environment variable OTSS_ISA can name another one than the default. Throws
// Error(kUsage) if the value of OTSS_ISA is unknown or the processor does not support it.
std::string_view instruction_set();

// After this call SIGINT, SIGTERM and SIGHUP make a running computation throw an
// Error(kInterrupted) at its next step, so that no file is left half written. A second signal ends
// the process at once.
void install_interrupt_handler();

// Tells the C library to keep freed memory for later allocations instead of returning it to the
// system. Call this function before solving many plans. Each solve allocates the same large blocks.
// Without this call, the system provides these blocks anew for each solve, which takes as long as
// solving and makes threads wait for each other. If the C library has no such setting, the function
// does nothing.
void keep_freed_memory();

}  // namespace otss
