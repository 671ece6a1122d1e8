#include "decide/ranking.hpp"

#include <algorithm>
#include <limits>

namespace otss::internal {

bool Ranking::ranks_before(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.position < b.position);
}

// Keeps the `count` best scores, best first. The kept scores are in a heap with the worst kept
// score on top, so one comparison is enough to reject most scores. A score that equals the worst
// kept score is rejected too, since its decision comes later in the table.
void Ranking::select_best(std::span<const double> scores, std::size_t count) {
  best_.clear();
  for (std::size_t position = 0; position < scores.size(); ++position) {
    const bool full = best_.size() == count;
    if (full && !(scores[position] > best_.front().score)) continue;
    if (full) {
      std::pop_heap(best_.begin(), best_.end(), ranks_before);
      best_.pop_back();
    }
    best_.push_back({scores[position], position});
    std::push_heap(best_.begin(), best_.end(), ranks_before);
  }
  std::sort_heap(best_.begin(), best_.end(), ranks_before);
}

void Ranking::rank(std::size_t row, std::span<const double> scores,
                   std::span<const std::size_t> indices, std::span<Decision> found) {
  // A margin is a score minus the best other score. For the best decision, this is the second best
  // score, so two scores are kept even if only one decision is requested.
  const std::size_t kept = std::min(std::max<std::size_t>(found.size(), 2), scores.size());
  select_best(scores, kept);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double other =
        kept == 1 ? std::numeric_limits<double>::quiet_NaN() : best_[i == 0 ? 1 : 0].score;
    found[i] = {row, static_cast<int>(i) + 1, indices[best_[i].position], best_[i].score,
                best_[i].score - other};
  }
}

}  // namespace otss::internal
