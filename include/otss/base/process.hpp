// Version and process-wide settings. The settings affect the whole process, so only the main
// program should call them, not a library that uses otss.
#pragma once

#include <string_view>

namespace otss {

// The version of the linked otss library, such as "1.2.3".
std::string_view version();

// The instruction set that the vector kernels use on this machine: "baseline", "avx2" or "avx512".
// The environment variable OTSS_ISA forces one; Error(kUsage) if its value is unknown or not
// supported by the processor.
std::string_view instruction_set();

// After this call SIGINT, SIGTERM and SIGHUP make a running computation throw an
// Error(kInterrupted) at its next step, so that no file is left half written. A second signal ends
// the process at once.
void install_interrupt_handler();

// Tells the C library to keep freed memory for later allocations instead of returning it to the
// system. Call it before solving many plans: each solve allocates the same large blocks, and
// getting them from the system takes as long as solving and makes threads wait for each other.
// Does nothing if the C library has no such setting.
void keep_freed_memory();

}  // namespace otss
