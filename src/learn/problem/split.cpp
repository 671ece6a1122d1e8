#include "learn/problem/split.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "learn/options/defaults.hpp"
#include "otss/data/splits.hpp"

namespace otss::internal {
namespace {

NamedFolds with_groups(NamedFolds split, const LoggedData& log) {
  if (!log.groups().empty()) split.words += ", groups kept together";
  return split;
}

}  // namespace

NamedFolds one_split(const LoggedData& log, double share, std::uint64_t seed) {
  Folds folds{1, validation_rows(log, share, seed)};
  for (auto& fold : folds.of_row) fold = fold == 1 ? 0 : Folds::kNeverHeldOut;
  const auto count = std::count(folds.of_row.begin(), folds.of_row.end(), 0);
  return with_groups(
      {std::move(folds),
       fmt::format("{} {} rows", log.times().empty() ? "a random" : "the latest", count)},
      log);
}

NamedFolds split_rows(const LoggedData& log, const SplitOptions& options) {
  if (options.validation > 0) return one_split(log, options.validation, options.seed);
  if (!log.times().empty()) return one_split(log, defaults::kHeldOutShare, options.seed);
  return with_groups({{options.folds, assign_folds(log, options.folds, options.seed)},
                      fmt::format("{}-fold cross-validation", options.folds)},
                     log);
}

Problem Folds::training(const Problem& problem, int fold) const {
  return problem.restricted_to([&](std::size_t row) { return of_row[row] != fold; });
}

std::vector<std::uint8_t> honest_parts(const Folds& folds, std::span<const std::uint32_t> groups,
                                       std::size_t count) {
  if (folds.count > 1) return folds.of_row;
  std::vector<std::uint8_t> part = folds.of_row;
  std::size_t next = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (!folds.held_out(i)) continue;
    const std::size_t unit = groups.empty() ? next++ : groups[i];
    part[i] = static_cast<std::uint8_t>(unit % count);
  }
  return part;
}

}  // namespace otss::internal
