#include "text_table.hpp"

#include <algorithm>

#include "otss/base/printable.hpp"

namespace otss::app {
namespace {

// Returns the number of characters that a text has on the screen. UTF-8 continuation bytes are not
// counted.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
}

}  // namespace

std::string TextTable::str() const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width(row[c]), ' ');
      line += ' ' + (c == 0 ? row[c] + padding : ' ' + padding + row[c]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out += line + '\n';  // a header of empty cells is not printed
  }
  return out;
}

}  // namespace otss::app
