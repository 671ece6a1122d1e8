// A LibrarySearch finds the best decisions of a library under given weights.
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
  // Prepares a search. Only the decisions in the rows `live` of the set's table are searched.
  // `live` must be in increasing order.
  LibrarySearch(const FeasibleSet& feasible, std::vector<std::size_t> live);

  std::size_t num_live() const { return live_.size(); }

  // Fills `found` with the best decisions of `rows` contexts, where `rows` is at most kMaxContexts.
  // Each context gets found.size() / rows decisions. `w` is a matrix of rows × J with one weight
  // vector per context. In `found`, the contexts have the row numbers first_row, first_row + 1, and
  // so on.
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
