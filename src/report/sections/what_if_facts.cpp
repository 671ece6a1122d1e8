#include "report/sections/what_if_facts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "otss/decide/decider.hpp"
#include "report/sections/column_facts.hpp"
#include "report/sections/varied_contexts.hpp"

namespace otss::internal {
namespace {

// The page scores every decision whenever a slider moves, so that it cannot have too many.
constexpr std::size_t kMostDecisions = 1000;
constexpr std::size_t kMostEntries = 20'000;  // decisions × factors
constexpr std::size_t kCountedContexts = 2000;
constexpr int kCountedRanks = 5;

// Returns the rows of the library that the page has, in the order of the library. If the library is
// too long, these are the decisions that are most often among the best ones of a context.
std::vector<std::size_t> shown_rows(const ReportInput& input) {
  const FeasibleSet& library = *input.feasible;
  const std::size_t most = std::max<std::size_t>(
      2, std::min(kMostDecisions, kMostEntries / input.encoder().factors.size()));
  std::vector<std::size_t> rows(library.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  const std::vector<double> x =
      VariedContexts(input.encoder(), input.contexts, kCountedContexts).as_they_are();
  const std::size_t num_contexts = std::min(input.contexts.num_rows, kCountedContexts);
  std::vector<std::size_t> counts(library.size(), 0);
  for (const Decision& decision : decide(input.fitted.scorer(), {num_contexts, x, {}, {}}, library,
                                         {.top = kCountedRanks, .num_threads = input.threads}))
    ++counts[decision.index];
  std::ranges::stable_sort(rows, std::greater{}, [&](std::size_t row) { return counts[row]; });
  rows.resize(most);
  std::ranges::sort(rows);
  return rows;
}

LibraryFacts library_facts(const ReportInput& input) {
  LibraryFacts facts{.total = input.feasible->size()};
  for (const std::size_t row : shown_rows(input)) {
    facts.ids.push_back(input.feasible->id(row));
    const auto factors = input.feasible->factors_of(row);
    facts.factors.insert(facts.factors.end(), factors.begin(), factors.end());
  }
  return facts;
}

}  // namespace

WhatIfFacts what_if_facts(const ReportInput& input) {
  WhatIfFacts facts{.typical = typical_values(input.encoder(), input.log)};
  if (input.feasible != nullptr && input.feasible->is_shared())
    facts.library = library_facts(input);
  return facts;
}

}  // namespace otss::internal
