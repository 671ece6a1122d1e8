// How often this test program has called operator new; linking allocation_counter.cpp replaces it
// with one that counts.
#pragma once

#include <cstddef>

namespace otss {

std::size_t num_allocations();

}  // namespace otss
