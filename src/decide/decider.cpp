#include "otss/decide/decider.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "decide/library_search.hpp"
#include "decide/prune.hpp"
#include "decide/ranking.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

// Measured (bench/micro/decide): pruning takes as long as deciding for 500 to 950 contexts over the
// whole library.
constexpr std::size_t kContextsThatPay = 1000;
constexpr std::size_t kPrunedFrom = 1000;  // decisions; smaller libraries are quick as they are
constexpr int kMostExpertsWorthPruning =
    16;  // with more, hardly any decision is dominated under all

void check(const DecideOptions& options) {
  if (options.top < 1) {
    throw Error(ErrorCode::kUsage, fmt::format("--top {}: ask for at least 1", options.top));
  }
}

void check_table(const Scorer& scorer, const Library& table) {
  if (table.size() == 0) {
    throw Error(ErrorCode::kInput, "the library has no decisions: give it at least one");
  }
  if (scorer.num_factors() != table.num_factors) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the decisions have {} factors and the model has {}: read them with "
                            "the model's factor names",
                            table.num_factors, scorer.num_factors()));
  }
}

std::vector<std::size_t> all_rows(const Library& library) {
  std::vector<std::size_t> rows(library.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::vector<std::size_t> live_rows(const WeightMap& map, const Library& library,
                                   const DecideOptions& options) {
  const Mixture* mixture = map.as_mixture();
  const bool pays = mixture != nullptr && library.size() >= kPrunedFrom &&
                    mixture->num_experts() <= kMostExpertsWorthPruning;
  if (!options.prune || !pays) return all_rows(library);
  // A margin needs the two best even where only one is asked for.
  return prune(*mixture, library, std::max(options.top, 2));
}

// Calls body(first row, rows) for blocks of contexts, in parallel. Blocks are a property of the
// problem, so that results cannot depend on the number of threads.
void for_each_block(std::size_t rows, int num_threads,
                    const std::function<void(std::size_t, std::size_t)>& body) {
  parallel_for((rows + kMaxContexts - 1) / kMaxContexts, num_threads, [&](std::size_t block) {
    const std::size_t first = block * kMaxContexts;
    body(first, std::min(kMaxContexts, rows - first));
  });
}

std::vector<double> block_weights(const WeightMap& map, std::span<const double> x,
                                  std::size_t first, std::size_t rows) {
  const std::size_t p = map.num_contexts();
  std::vector<double> w(rows * map.num_factors());
  map.weights(rows, x.subspan(first * p, rows * p), w);
  return w;
}

// The best of the listed rows of a table for one context, each scored by itself.
void rank_by_scores(const Scorer& scorer, std::span<const double> x, std::size_t row,
                    const Library& table, std::span<const std::size_t> listed,
                    std::span<Decision> found) {
  const std::size_t p = scorer.num_contexts();
  std::vector<double> scores;
  scores.reserve(listed.size());
  for (const std::size_t index : listed)
    scores.push_back(scorer.score(x.subspan(row * p, p), table.row(index)));
  Ranking().rank(row, scores, listed, found);
}

std::size_t decisions_per_context(const DecideOptions& options, std::size_t available) {
  return std::min(static_cast<std::size_t>(options.top), available);
}

}  // namespace

Decider::Decider(const Scorer& scorer, Library library, DecideOptions options)
    : scorer_(scorer),
      map_(scorer.as_weight_map()),
      library_(std::move(library)),
      options_(options) {
  check(options_);
  check_table(scorer_, library_);
  if (map_ != nullptr)
    search_ = std::make_unique<const LibrarySearch>(library_, live_rows(*map_, library_, options_));
}

Decider::~Decider() = default;

std::size_t Decider::num_live() const {
  return map_ != nullptr ? search_->num_live() : library_.size();
}

std::vector<Decision> Decider::decide(std::size_t rows, std::span<const double> x) const {
  assert(x.size() == rows * scorer_.num_contexts());
  const std::size_t top = decisions_per_context(options_, library_.size());
  std::vector<Decision> found(rows * top);
  const std::vector<std::size_t> all =
      map_ == nullptr ? all_rows(library_) : std::vector<std::size_t>();
  for_each_block(rows, options_.num_threads, [&](std::size_t first, std::size_t count) {
    const auto block = std::span(found).subspan(first * top, count * top);
    if (map_ != nullptr) {
      search_->search(first, count, block_weights(*map_, x, first, count).data(), block);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      rank_by_scores(scorer_, x, first + i, library_, all, block.subspan(i * top, top));
  });
  return found;
}

std::vector<Decision> decide(const Scorer& scorer, std::size_t rows, std::span<const double> x,
                             const Library& library, const DecideOptions& options) {
  DecideOptions once = options;
  once.prune = options.prune && rows >= kContextsThatPay;
  return Decider(scorer, library, once).decide(rows, x);
}

std::vector<Decision> decide(const Scorer& scorer, std::size_t rows, std::span<const double> x,
                             const Candidates& candidates, std::span<const std::size_t> sets,
                             const DecideOptions& options) {
  assert(sets.size() == rows);
  check(options);
  check_table(scorer, candidates.rows());
  const WeightMap* map = scorer.as_weight_map();
  std::vector<std::size_t> first_decision(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t available = candidates.set(sets[row]).size();
    first_decision[row + 1] = first_decision[row] + decisions_per_context(options, available);
  }
  std::vector<Decision> found(first_decision[rows]);
  for_each_block(rows, options.num_threads, [&](std::size_t first, std::size_t count) {
    const std::vector<double> w =
        map != nullptr ? block_weights(*map, x, first, count) : std::vector<double>();
    for (std::size_t row = first; row < first + count; ++row) {
      const auto set = candidates.set(sets[row]);
      const std::size_t begin = first_decision[row];
      const auto own = std::span(found).subspan(begin, first_decision[row + 1] - begin);
      if (map == nullptr) {
        rank_by_scores(scorer, x, row, candidates.rows(), set, own);
        continue;
      }
      const LibrarySearch search(candidates.rows(), {set.begin(), set.end()});
      search.search(row, 1, w.data() + (row - first) * map->num_factors(), own);
    }
  });
  return found;
}

std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const Library& library, const DecideOptions& options) {
  assert(w.size() == rows * library.num_factors);
  check(options);
  const LibrarySearch search(library, all_rows(library));
  const std::size_t top = decisions_per_context(options, library.size());
  std::vector<Decision> found(rows * top);
  for_each_block(rows, options.num_threads, [&](std::size_t first, std::size_t count) {
    search.search(first, count, w.data() + first * library.num_factors,
                  std::span(found).subspan(first * top, count * top));
  });
  return found;
}

}  // namespace otss
