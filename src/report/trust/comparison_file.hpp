// This header reads a comparison of methods, which `otss compare --json` prints.
#pragma once

#include <string>
#include <string_view>

#include "report/facts.hpp"

namespace otss::internal {

// Reads the file at `path`. Throws an Error(kInput) that names the file if it is not such a
// comparison.
ComparisonFacts read_comparison(const std::string& path);

// Does the same with the text of the file. `path` names it in an Error.
ComparisonFacts comparison_from_text(std::string_view text, const std::string& path);

}  // namespace otss::internal
