// This header reads a comparison of methods, which `otss compare --json` prints.
#pragma once

#include <string>

#include "report/facts.hpp"

namespace otss::internal {

// Reads the file at `path`. Throws an Error(kInput) that names the file if it is not such a
// comparison.
ComparisonFacts read_comparison(const std::string& path);

}  // namespace otss::internal
