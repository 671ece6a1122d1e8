#include "otss/decide/candidates.hpp"

#include <fmt/core.h>

#include <cassert>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "decide/decision_rows.hpp"
#include "otss/base/error.hpp"

namespace otss {

Candidates::Candidates(std::string source, std::span<const std::string> context_ids, Library rows)
    : source_(std::move(source)), rows_(std::move(rows)), first_(1, 0) {
  assert(context_ids.size() == rows_.size());
  std::vector<std::size_t> set_of_row;
  std::vector<std::size_t> sizes;
  for (const std::string& id : context_ids) {
    const auto [entry, is_new] = set_of_.emplace(id, sizes.size());
    if (is_new) sizes.push_back(0);
    ++sizes[entry->second];
    set_of_row.push_back(entry->second);
  }
  for (const std::size_t size : sizes) first_.push_back(first_.back() + size);
  members_.resize(rows_.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t row = 0; row < set_of_row.size(); ++row) members_[next[set_of_row[row]]++] = row;
  linked_.resize(sizes.size());
}

std::vector<std::size_t> Candidates::link(std::span<const std::string> context_ids) {
  std::vector<std::size_t> sets;
  sets.reserve(context_ids.size());
  for (const std::string& id : context_ids) {
    const auto entry = set_of_.find(id);
    if (entry == set_of_.end()) {
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: no candidates for context '{}'; list at least one for it, or "
                              "leave the context out",
                              source_, id));
    }
    linked_[entry->second] = true;
    sets.push_back(entry->second);
  }
  return sets;
}

std::size_t Candidates::num_unlinked_rows() const {
  std::size_t count = 0;
  for (std::size_t index = 0; index < linked_.size(); ++index) {
    if (!linked_[index]) count += set(index).size();
  }
  return count;
}

namespace {

void check_unique_within_sets(const Candidates& candidates, const std::string& source,
                              const std::string& id_column) {
  const auto& ids = candidates.rows().ids;
  for (std::size_t set = 0; set < candidates.num_sets(); ++set) {
    std::unordered_set<std::string_view> seen;
    for (const std::size_t row : candidates.set(set)) {
      if (seen.insert(ids[row]).second) continue;
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}: row {}, column {}: id '{}' is listed twice for its context; keep "
                      "one of the rows",
                      source, row + 1, id_column, ids[row]));
    }
  }
}

}  // namespace

Candidates read_candidates(const TableReader& reader, const std::string& context_id_column,
                           const std::string& id_column, const std::vector<std::string>& factors) {
  DecisionRows rows = read_decision_rows(
      reader, {{context_id_column, "--context-id"}, {id_column, "--id"}}, factors);
  Library decisions{std::move(rows.texts[1]), static_cast<int>(factors.size()),
                    std::move(rows.factors)};
  Candidates candidates(reader.name(), rows.texts[0], std::move(decisions));
  check_unique_within_sets(candidates, reader.name(), id_column);
  return candidates;
}

}  // namespace otss
