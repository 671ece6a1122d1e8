// Settings of the process's memory allocator.
#pragma once

namespace otss {

// Freed memory stays with the process for its next allocation instead of going back to the system.
// A solver that is called a thousand times allocates the same large blocks each time; getting them
// from the system takes as long as solving and makes threads wait for each other. To be called by
// programs, not by libraries, since it changes the whole process. Does nothing where the C library
// is not glibc.
void keep_freed_memory();

}  // namespace otss
