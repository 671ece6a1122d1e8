// How this process deals with memory that was freed.
#pragma once

namespace otss {

// Keeps it for the next allocation instead of giving it back to the system. A solver called a
// thousand times asks for the same large blocks each time, and fetching them anew costs as much as
// the solving and makes threads wait for each other. For programs, not libraries: it holds for the
// whole process. Does nothing where the C library has no such setting.
void keep_freed_memory();

}  // namespace otss
