#include "decide/library_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/isa.hpp"

namespace otss {
namespace {

constexpr double kNoOther = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kScoredTogether =
    8;  // contexts whose scores of all decisions are held at once

struct Scored {
  double score;
  std::size_t index;
};

bool ranks_before(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

// The `count` best of the scores, best first. A heap with the worst kept one on top: most scores
// are turned away by one comparison, and one that only equals the worst comes later than it and
// stays out.
void select_best(std::span<const double> scores, std::size_t count, std::vector<Scored>& best) {
  best.clear();
  for (std::size_t index = 0; index < scores.size(); ++index) {
    const bool full = best.size() == count;
    if (full && !(scores[index] > best.front().score)) continue;
    if (full) {
      std::pop_heap(best.begin(), best.end(), ranks_before);
      best.pop_back();
    }
    best.push_back({scores[index], index});
    std::push_heap(best.begin(), best.end(), ranks_before);
  }
  std::sort_heap(best.begin(), best.end(), ranks_before);
}

}  // namespace

LibrarySearch::LibrarySearch(const Library& table, std::vector<std::size_t> live)
    : live_(std::move(live)), packed_(table, live_) {}

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
  OctetVector scores(kScoredTogether * view.num_units);
  std::vector<Scored> best;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t slot = i % kScoredTogether;
    if (slot == 0) {
      const std::size_t together = std::min(kScoredTogether, rows - i);
      score_kernel(active_isa())
          .scores(view, together, w + i * view.num_factors, scores.front().lanes);
    }
    select_best({scores[slot * view.num_units].lanes, packed_.size()}, top, best);
    for (std::size_t rank = 0; rank < top; ++rank) {
      const double other = best[rank == 0 ? 1 : 0].score;
      found[i * top + rank] = {first_row + i, static_cast<int>(rank) + 1, live_[best[rank].index],
                               best[rank].score, best[rank].score - other};
    }
  }
}

}  // namespace otss
