// What the program prepares before it does anything else, so that a missing descriptor or a lack of
// memory ends it with one line and exit code 1.
//
// The source file also prepares for a lack of memory, before main and before the constructors of
// global objects. It keeps some memory back and releases it when memory runs out, so that the
// clean-up, which needs a little memory itself, succeeds. If memory runs out where an exception
// cannot be thrown, such as in a destructor, the program prints one line and ends with exit code 1.
#pragma once

namespace otss::app {

inline constexpr const char* kOutOfMemory = "out of memory; use fewer rows or columns";

// If the program was started without standard input, output or error, opens a descriptor in the
// place of each, on which every read or write fails. Otherwise the next file that the program opens
// would get this number, and messages would be written into that file.
void fill_standard_descriptors();

}  // namespace otss::app
