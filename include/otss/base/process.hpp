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
// "avx512". The environment variable OTSS_ISA can select it. Throws Error(kUsage) if the value of
// OTSS_ISA is unknown or the processor does not support it.
std::string_view instruction_set();

// After this call, the signals SIGINT, SIGTERM and SIGHUP cancel a running computation. The
// computation throws an Error(kInterrupted) when it next checks for signals, so that no file is
// left half written. A second signal ends the process at once. A signal that the process already
// ignores stays ignored, such as SIGHUP under nohup. A write beyond the limit on file sizes becomes
// an Error; without this call, the signal SIGXFSZ would end the process.
//
// Some computations, mostly in other libraries, rarely check for signals. If `last_line` is given,
// the process does not wait for such a computation. If the process still runs 0.15 seconds after
// the first signal, it removes its temporary files, writes `last_line` to standard error and ends
// with exit code 1. The text of `last_line` must stay valid. Call end_of_computation() once the
// computation has ended. The process then has all the time that it needs to report its result or error.
void install_interrupt_handler(const char* last_line = nullptr);
void end_of_computation() noexcept;

// Removes the temporary files of unfinished outputs. This function is for a process that ends
// without running destructors. A signal handler may call this function.
void remove_temporary_files() noexcept;

// Throws Error(kIo) if no file can be written at `path`: no permission, no such folder, or a full
// disk. Commands call this function before they compute, so that no computation is lost.
void require_writable(const std::string& path);

// Tells the C library to keep freed memory for later allocations instead of returning it to the
// system. Fits and solvers allocate blocks of the same size again and again. Without this call, the
// system provides these blocks anew each time, and threads wait for each other meanwhile: a fit of a
// million rows on 16 threads asks the system 20 times as often. If the C library has no such
// setting, the function does nothing.
void keep_freed_memory();

}  // namespace otss
