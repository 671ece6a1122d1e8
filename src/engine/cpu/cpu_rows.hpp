// The rows of a log in the memory of this process.
#pragma once

#include <memory>

#include "engine/rows.hpp"

namespace otss::internal {

// Refers to `log`, which must live longer. num_threads = 0 means all cores.
std::unique_ptr<Rows> make_cpu_rows(const LoggedData& log, int num_threads);

}  // namespace otss::internal
