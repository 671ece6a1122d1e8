#pragma once

#include <string>
#include <vector>

namespace otss::app {

// Prints rows of cells in aligned columns: the first column aligned left, the others right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace otss::app
