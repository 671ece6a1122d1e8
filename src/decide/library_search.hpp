// Finds the best of some decisions under given weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decide/packed_decisions.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"

namespace otss::internal {

class LibrarySearch {
 public:
  // Searches the rows `live` of the set's table, which are increasing.
  LibrarySearch(const FeasibleSet& feasible, std::vector<std::size_t> live);

  std::size_t num_live() const { return live_.size(); }

  // Fills `found` with found.size() / rows decisions for each of up to kMaxContexts contexts; w is
  // rows×J. The contexts have the row numbers first_row, first_row + 1, … in `found`.
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

}  // namespace otss::internal
