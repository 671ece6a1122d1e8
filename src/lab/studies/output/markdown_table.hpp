// Writes Markdown tables whose columns are also aligned as plain text.
#pragma once

#include <string>
#include <vector>

namespace otss::internal {

// Returns the table. The first column is left-aligned, the others are right-aligned. Columns that
// are empty in every row are omitted.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace otss::internal
