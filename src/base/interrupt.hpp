// Ctrl-C as an exception: long loops call check_interrupt(), and stack unwinding removes temporary
// files.
#pragma once

namespace otss {

// SIGINT, SIGTERM and SIGHUP set a flag; a second signal ends the process immediately.
void install_interrupt_handler();

// Throws Error(kInterrupted) once the flag is set.
void check_interrupt();

}  // namespace otss
