#include "otss/decide/decider.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "base/threads.hpp"
#include "decide/device/candidate_search.hpp"
#include "decide/library_search.hpp"
#include "decide/open_decisions.hpp"
#include "decide/prune.hpp"
#include "decide/ranking.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// A library is pruned only if decisions are made for at least this many contexts. In the benchmark
// bench/micro/decide, pruning a library took as long as making the decisions of 500 to 950 contexts
// from the whole library.
constexpr std::size_t kContextsThatPay = 1000;
// A library with fewer decisions than this is not pruned, because pruning would save no time.
constexpr std::size_t kPrunedFrom = 1000;
// With more experts than this, pruning is skipped. A decision can be pruned only if another
// decision is better under all experts, which is rare if there are many experts.
constexpr int kMostExpertsWorthPruning = 16;

void check(const DecideOptions& options) {
  if (options.top < 1) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--top {}: give a whole number from 1 on", options.top));
  }
}

void check(const FeasibleSet& feasible, const Scorer& scorer) {
  if (feasible.size() == 0) {
    throw Error(ErrorCode::kInput,
                "the library has no decisions; give a library with at least one decision");
  }
  if (scorer.num_factors() != feasible.num_factors()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the decisions have {} factors, but the model has {} factors; call "
                            "read_library or read_candidates with Fitted::factor_names()",
                            feasible.num_factors(), scorer.num_factors()));
  }
}

std::vector<std::size_t> all_rows(const FeasibleSet& library) {
  const auto rows = library.at(0).rows();
  return {rows.begin(), rows.end()};
}

std::vector<std::size_t> live_rows(const WeightMap& map, const FeasibleSet& library,
                                   const DecideOptions& options) {
  const Mixture* mixture = map.as_mixture();
  const bool pays = mixture != nullptr && library.size() >= kPrunedFrom &&
                    mixture->num_experts() <= kMostExpertsWorthPruning;
  if (!options.prune || !pays) return all_rows(library);
  // The margin is the difference of the two best scores. So two decisions are kept even if only one
  // is requested.
  return prune(*mixture, library, std::max(options.top, 2));
}

// Calls body(first row, number of rows) for blocks of contexts, in parallel. The blocks, and thus
// the results, do not depend on the number of threads.
void for_each_block(std::size_t rows, int num_threads,
                    const std::function<void(std::size_t, std::size_t)>& body) {
  parallel_for((rows + kMaxContexts - 1) / kMaxContexts, num_threads, [&](std::size_t block) {
    const std::size_t first = block * kMaxContexts;
    body(first, std::min(kMaxContexts, rows - first));
  });
}

std::vector<double> block_weights(const WeightMap& map, const Contexts& contexts, std::size_t first,
                                  std::size_t rows) {
  const std::size_t p = map.num_contexts();
  std::vector<double> w(rows * map.num_factors());
  map.weights(rows, contexts.x.subspan(first * p, rows * p), w);
  if (!contexts.units.empty()) add_deviations(contexts.units.subspan(first, rows), w);
  return w;
}

// Finds the best decisions of one context. The scorer is called once per decision.
void rank_by_scores(const Scorer& scorer, std::span<const double> x, std::size_t row,
                    const ContextDecisions& open, std::span<Decision> found) {
  const std::size_t p = scorer.num_contexts();
  std::vector<double> scores;
  scores.reserve(open.size());
  for (std::size_t d = 0; d < open.size(); ++d)
    scores.push_back(scorer.score(x.subspan(row * p, p), open.factors(d)));
  Ranking().rank(row, scores, open.rows(), found);
}

std::size_t decisions_per_context(const DecideOptions& options, std::size_t available) {
  return std::min(static_cast<std::size_t>(options.top), available);
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Decider::Decider(const Scorer& scorer, FeasibleSet feasible, DecideOptions options)
    : scorer_(scorer),
      map_(scorer.as_weight_map()),
      feasible_(std::move(feasible)),
      options_(options) {
  check(options_);
  check(feasible_, scorer_);
  require_device(options_.device);
  if (map_ != nullptr && feasible_.is_shared()) {
    const std::vector<std::size_t> live = live_rows(*map_, feasible_, options_);
    search_ = std::make_unique<const LibrarySearch>(feasible_, live);
    if (options_.top == 1) candidates_ = make_candidate_search(options_.device, feasible_, live);
  }
}

Decider::~Decider() = default;

std::size_t Decider::num_live() const {
  return search_ != nullptr ? search_->num_live() : feasible_.size();
}

std::vector<Decision> Decider::decide(const Contexts& contexts) const {
  assert(contexts.x.size() == contexts.num_rows * scorer_.num_contexts());
  assert(contexts.units.empty() || contexts.units.size() == contexts.num_rows);
  if (!contexts.units.empty() && (map_ == nullptr || num_live() < feasible_.size())) {
    throw Error(ErrorCode::kUsage,
                "contexts with units need a model with weights, and a Decider that was made with "
                "DecideOptions::prune = false");
  }
  return search_ != nullptr ? search_library(contexts) : rank_each(contexts);
}

std::vector<Decision> Decider::search_library(const Contexts& contexts) const {
  if (candidates_ != nullptr) return choose_between_candidates(contexts);
  const std::size_t top = decisions_per_context(options_, feasible_.size());
  std::vector<Decision> found(contexts.num_rows * top);
  for_each_block(
      contexts.num_rows, options_.num_threads, [&](std::size_t first, std::size_t count) {
        search_->search(first, count, block_weights(*map_, contexts, first, count).data(),
                        std::span(found).subspan(first * top, count * top));
      });
  return found;
}

std::vector<Decision> Decider::choose_between_candidates(const Contexts& contexts) const {
  const std::size_t rows = contexts.num_rows, num_factors = map_->num_factors();
  std::vector<double> w(rows * num_factors);
  for_each_block(rows, options_.num_threads, [&](std::size_t first, std::size_t count) {
    std::ranges::copy(block_weights(*map_, contexts, first, count),
                      w.begin() + static_cast<std::ptrdiff_t>(first * num_factors));
  });
  std::vector<Decision> found(rows);
  candidates_->find(w, options_.num_threads, [&](std::size_t row, const Candidates& few) {
    const double* const own = w.data() + row * num_factors;
    const auto decision = std::span(found).subspan(row, 1);
    if (few) {
      LibrarySearch(feasible_, {few->begin(), few->end()}).search(row, 1, own, decision);
    } else {
      search_->search(row, 1, own, decision);
    }
  });
  return found;
}

std::vector<Decision> Decider::rank_each(const Contexts& contexts) const {
  const std::size_t rows = contexts.num_rows;
  const std::vector<ContextDecisions> open = open_decisions(feasible_, contexts);
  std::vector<std::size_t> first_decision(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    first_decision[row + 1] =
        first_decision[row] + decisions_per_context(options_, open[row].size());
  }
  std::vector<Decision> found(first_decision[rows]);
  for_each_block(rows, options_.num_threads, [&](std::size_t first, std::size_t count) {
    const std::vector<double> w =
        map_ != nullptr ? block_weights(*map_, contexts, first, count) : std::vector<double>();
    for (std::size_t row = first; row < first + count; ++row) {
      const std::size_t begin = first_decision[row];
      const auto own = std::span(found).subspan(begin, first_decision[row + 1] - begin);
      if (map_ == nullptr) {
        rank_by_scores(scorer_, contexts.x, row, open[row], own);
        continue;
      }
      const auto listed = open[row].rows();
      const LibrarySearch search(feasible_, {listed.begin(), listed.end()});
      search.search(row, 1, w.data() + (row - first) * map_->num_factors(), own);
    }
  });
  return found;
}

std::vector<Decision> decide(const Scorer& scorer, const Contexts& contexts,
                             const FeasibleSet& feasible, const DecideOptions& options) {
  DecideOptions once = options;
  once.prune = options.prune && contexts.num_rows >= kContextsThatPay && contexts.units.empty();
  return Decider(scorer, feasible, once).decide(contexts);
}

std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const FeasibleSet& library,
                                          const DecideOptions& options) {
  assert(w.size() == rows * library.num_factors());
  check(options);
  if (!library.is_shared()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: decide_with_weights accepts only a library; for candidates use a "
                            "Decider",
                            library.table()));
  }
  const LibrarySearch search(library, all_rows(library));
  const std::size_t top = decisions_per_context(options, library.size());
  std::vector<Decision> found(rows * top);
  for_each_block(rows, options.num_threads, [&](std::size_t first, std::size_t count) {
    search.search(first, count, w.data() + first * library.num_factors(),
                  std::span(found).subspan(first * top, count * top));
  });
  return found;
}

}  // namespace otss
