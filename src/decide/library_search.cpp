#include "decide/library_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/isa.hpp"
#include "decide/ranking.hpp"

namespace otss::internal {
namespace {

constexpr double kNoOther = std::numeric_limits<double>::quiet_NaN();
// The number of contexts whose scores are in memory at once.
constexpr std::size_t kScoredTogether = 8;

}  // namespace

LibrarySearch::LibrarySearch(const FeasibleSet& feasible, std::vector<std::size_t> live)
    : live_(std::move(live)), packed_(feasible.factors(), feasible.num_factors(), live_) {}

void LibrarySearch::search(std::size_t first_row, std::size_t rows, const double* w,
                           std::span<Decision> found) const {
  if (found.size() == rows) {
    search_best(first_row, rows, w, found);
  } else {
    search_top(first_row, rows, w, found);
  }
}

void LibrarySearch::search_best(std::size_t first_row, std::size_t rows, const double* w,
                                std::span<Decision> found) const {
  BestTwo best[kMaxContexts];
  score_kernel(active_isa()).best_two(packed_.view(), rows, w, best);
  for (std::size_t i = 0; i < rows; ++i) {
    const double margin = packed_.size() > 1 ? best[i].best - best[i].second : kNoOther;
    found[i] = {first_row + i, 1, live_[best[i].index], best[i].best, margin};
  }
}

void LibrarySearch::search_top(std::size_t first_row, std::size_t rows, const double* w,
                               std::span<Decision> found) const {
  const PackedView view = packed_.view();
  const std::size_t top = found.size() / rows;
  CacheLines scores(kScoredTogether * view.num_units);
  Ranking ranking;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t slot = i % kScoredTogether;
    if (slot == 0) {
      const std::size_t together = std::min(kScoredTogether, rows - i);
      score_kernel(active_isa())
          .scores(view, together, w + i * view.num_factors, scores.front().lanes);
    }
    ranking.rank(first_row + i, {scores[slot * view.num_units].lanes, packed_.size()}, live_,
                 found.subspan(i * top, top));
  }
}

}  // namespace otss::internal
