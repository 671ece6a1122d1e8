// Ctrl-C as an exception: long loops call check_interrupt(), and unwinding removes what was half
// done.
#pragma once

namespace otss {

void install_interrupt_handler();  // SIGINT, SIGTERM and SIGHUP set the flag; a second one ends the
                                   // process at once
void check_interrupt();            // throws Error(kInterrupted) once the flag is set

}  // namespace otss
