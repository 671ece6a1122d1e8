#include "lab/studies/output/markdown_table.hpp"

#include <algorithm>

namespace otss::internal {
namespace {

// Returns the number of code points. This is the width of the text, because our texts contain no
// combining or wide characters.
std::size_t width(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::string padded(const std::string& text, std::size_t size, bool left) {
  const std::string space(size - width(text), ' ');
  return left ? text + space : space + text;
}

}  // namespace

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> columns, widths;
  for (std::size_t c = 0; c < header.size(); ++c) {
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, width(row[c]));
    if (widest == 0) continue;
    columns.push_back(c);
    widths.push_back(std::max(widest, width(header[c])));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (std::size_t i = 0; i < columns.size(); ++i)
      text += " " + padded(cells[columns[i]], widths[i], i == 0) + " |";
    return text + "\n";
  };
  std::string text = line(header) + "|";
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += i == 0 ? std::string(widths[i] + 2, '-') + "|" : std::string(widths[i] + 1, '-') + ":|";
  text += "\n";
  for (const auto& row : rows) text += line(row);
  return text;
}

}  // namespace otss::internal
