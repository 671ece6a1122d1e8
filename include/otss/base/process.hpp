// This header has functions that return the version of otss, and functions that change settings of
// the whole process. Only a main program should change these settings; a library that uses otss
// should not.
#pragma once

#include <string>
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
// the process at once. A signal that the process ignores when this function is called, as SIGHUP
// under nohup, stays ignored. A write beyond the limit on file sizes becomes an Error instead of the
// signal SIGXFSZ, which would end the process.
//
// Some computations, mostly of other libraries, take long until their next step. With `last_line`,
// the process does not wait for them: if it still runs 0.15 seconds after the first signal, it
// removes its temporary files, writes this text to standard error and ends with exit code 1.
// `last_line` must stay valid. Call end_of_computation() once the computation has ended, so that the
// process can report its result or error however long that takes.
void install_interrupt_handler(const char* last_line = nullptr);
void end_of_computation() noexcept;

// Removes the temporary files of unfinished outputs, for a process that ends without destructors. A
// signal handler may call it.
void remove_temporary_files() noexcept;

// Throws Error(kIo) if no file can be written at `path`: no permission, no such folder, a full disk.
// Commands call this before they compute, so that no computation is lost.
void require_writable(const std::string& path);

// Tells the C library to keep freed memory for later allocations instead of returning it to the
// system. Call this function before solving many plans. Each solve allocates the same large blocks.
// Without this call, the system provides these blocks anew for each solve, which takes as long as
// solving and makes threads wait for each other. If the C library has no such setting, the function
// does nothing.
void keep_freed_memory();

}  // namespace otss
