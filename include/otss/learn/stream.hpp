// What a fit needs to know about logs that are larger than the memory.
#pragma once

#include <cstddef>
#include <string>

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Returns the option because of which a fit needs all rows in memory, such as "--gate mlp". Returns an
// empty text if there is no such option.
std::string option_that_needs_memory(const FitOptions& options, const Roles& roles);

// Throws Error(kInput) if the labels of the log (outcomes, weights, groups, times) and the work of a
// fit need more than this many bytes of memory. The tiles of the log must be in a file.
void require_memory(const LoggedData& log, std::size_t memory_bytes);

}  // namespace otss
