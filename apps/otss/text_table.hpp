#pragma once

#include <string>
#include <vector>

namespace otss::app {

// Prints rows of cells in aligned columns. The first column is aligned left, all other columns are
// aligned right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace otss::app
