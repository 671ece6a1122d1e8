// The best decisions of one table under given weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decide/packed_decisions.hpp"
#include "otss/decide/decision.hpp"
#include "otss/decide/library.hpp"

namespace otss {

class LibrarySearch {
 public:
  // Among `live` rows of the table, in rising order.
  LibrarySearch(const Library& table, std::vector<std::size_t> live);

  std::size_t num_live() const { return live_.size(); }

  // Fills `found` with found.size() / rows decisions for each of up to kMaxContexts contexts; w is
  // rows×J. Rows are numbered from first_row.
  void search(std::size_t first_row, std::size_t rows, const double* w,
              std::span<Decision> found) const;

 private:
  void search_best(std::size_t first_row, std::size_t rows, const double* w,
                   std::span<Decision> found) const;
  void search_top(std::size_t first_row, std::size_t rows, const double* w,
                  std::span<Decision> found) const;

  std::vector<std::size_t> live_;
  PackedDecisions packed_;
};

}  // namespace otss
