// A table that is Markdown, and aligned for readers of the plain text.
#pragma once

#include <string>
#include <vector>

namespace otss {

// The first column is left-aligned, the others right. Columns that are empty in every row are left
// out.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace otss
