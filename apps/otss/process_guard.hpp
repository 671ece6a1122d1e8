// This header prepares the program for two failures: closed standard descriptors and a lack of
// memory.
//
// The source file prepares for a lack of memory by itself, before main begins. It reserves some
// memory and releases it when memory runs out, because the clean-up needs a little memory. If
// memory runs out where an exception cannot be thrown, such as in a destructor, the program prints
// one line and ends with exit code 1.
#pragma once

namespace otss::app {

inline constexpr const char* kOutOfMemory = "out of memory; use fewer rows or columns";

// If standard input, output or error is closed, opens a descriptor in its place. Every read or
// write of this descriptor fails. Without this call, the next file that the program opens would get
// the free number, and messages would be written into that file.
void fill_standard_descriptors();

}  // namespace otss::app
