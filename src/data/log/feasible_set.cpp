#include "otss/data/feasible_set.hpp"

#include <fmt/core.h>

#include <numeric>
#include <utility>

#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {
namespace {

void check_sizes(const std::string& table, std::size_t num_ids, int num_factors,
                 std::size_t num_values) {
  if (num_factors < 1) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: there are {} factors; give every decision at least one factor",
                            table, num_factors));
  }
  const auto width = static_cast<std::size_t>(num_factors);
  if (num_values % width == 0 && (num_ids == 0 || num_ids == num_values / width)) return;
  throw Error(ErrorCode::kInput,
              fmt::format("{}: the numbers of ids ({}), values ({}) and factors ({}) do not match; "
                          "give every decision one id and one value of each factor",
                          table, num_ids, num_values, num_factors));
}

const std::string kNoId;

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

FeasibleSet::FeasibleSet() : parts_(std::make_shared<const Parts>()) {}

FeasibleSet::FeasibleSet(Parts parts) {
  const std::size_t width = parts.num_factors;
  parts.means.assign((parts.first.size() - 1) * width, 0.0);
  for (std::size_t context = 0; context + 1 < parts.first.size(); ++context) {
    double* mean = parts.means.data() + context * width;
    for (std::size_t i = parts.first[context]; i < parts.first[context + 1]; ++i) {
      for (std::size_t j = 0; j < width; ++j)
        mean[j] += parts.factors[parts.members[i] * width + j];
    }
    const auto count = static_cast<double>(parts.first[context + 1] - parts.first[context]);
    for (std::size_t j = 0; j < width; ++j) mean[j] /= count;
  }
  parts_ = std::make_shared<const Parts>(std::move(parts));
}

FeasibleSet FeasibleSet::of_library(std::vector<std::string> ids, int num_factors,
                                    std::vector<double> factors, std::string table) {
  check_sizes(table, ids.size(), num_factors, factors.size());
  Parts parts{.table = std::move(table),
              .ids = std::move(ids),
              .num_factors = num_factors,
              .factors = std::move(factors)};
  parts.members.resize(parts.factors.size() / num_factors);
  std::iota(parts.members.begin(), parts.members.end(), std::size_t{0});
  parts.first = {0, parts.members.size()};
  return FeasibleSet(std::move(parts));
}

FeasibleSet FeasibleSet::of_candidates(std::span<const std::string> contexts,
                                       std::vector<std::string> ids, int num_factors,
                                       std::vector<double> factors, std::string table,
                                       std::string context_id) {
  check_sizes(table, ids.size(), num_factors, factors.size());
  Parts parts{.is_shared = false,
              .table = std::move(table),
              .context_id = std::move(context_id),
              .ids = std::move(ids),
              .num_factors = num_factors,
              .factors = std::move(factors)};
  const std::size_t size = parts.factors.size() / num_factors;
  if (contexts.size() != size) {
    throw Error(ErrorCode::kInput, fmt::format("{}: the numbers of contexts ({}) and candidates "
                                               "({}) differ; give every candidate one context",
                                               parts.table, contexts.size(), size));
  }
  std::vector<std::size_t> context_of_row;
  context_of_row.reserve(size);
  std::vector<std::size_t> counts;
  for (const std::string& context : contexts) {
    const auto [entry, is_new] = parts.numbers.emplace(context, counts.size());
    if (is_new) counts.push_back(0);
    ++counts[entry->second];
    context_of_row.push_back(entry->second);
  }
  parts.first = {0};
  for (const std::size_t count : counts) parts.first.push_back(parts.first.back() + count);
  parts.members.resize(size);
  std::vector<std::size_t> next(parts.first.begin(), parts.first.end() - 1);
  for (std::size_t row = 0; row < size; ++row) parts.members[next[context_of_row[row]]++] = row;
  return FeasibleSet(std::move(parts));
}

const std::string& FeasibleSet::id(std::size_t row) const {
  return parts_->ids.empty() ? kNoId : parts_->ids[row];
}

std::optional<std::size_t> FeasibleSet::number_of(std::string_view context) const {
  if (is_shared()) return 0;
  const auto entry = parts_->numbers.find(context);
  if (entry == parts_->numbers.end()) return std::nullopt;
  return entry->second;
}

ContextDecisions FeasibleSet::at(std::size_t context) const {
  return {*parts_, is_shared() ? 0 : context};
}

ContextDecisions FeasibleSet::of(std::string_view context) const {
  const std::optional<std::size_t> number = number_of(context);
  if (!number) {
    throw Error(ErrorCode::kInput, fmt::format("{}: context '{}' has no candidates; list at "
                                               "least one candidate, or leave the context out",
                                               table(), context));
  }
  return at(*number);
}

ContextDecisions::ContextDecisions(const FeasibleSet::Parts& parts, std::size_t context)
    : parts_(&parts),
      rows_(std::span(parts.members)
                .subspan(parts.first[context], parts.first[context + 1] - parts.first[context])),
      mean_(std::span(parts.means).subspan(context * parts.num_factors, parts.num_factors)) {}

const std::string& ContextDecisions::id(std::size_t position) const {
  return parts_->ids.empty() ? kNoId : parts_->ids[rows_[position]];
}

CandidateUse::CandidateUse(FeasibleSet feasible)
    : feasible_(std::move(feasible)), used_(feasible_.num_contexts(), feasible_.is_shared()) {}

void CandidateUse::add(std::span<const std::string> contexts) {
  for (const std::string& context : contexts) {
    if (const auto number = feasible_.number_of(context)) used_[*number] = true;
  }
}

void CandidateUse::add_ranks(Ranks& ranks) {
  const auto counts = summed_counts(ranks, {used_.begin(), used_.end()});
  for (std::size_t context = 0; context < used_.size(); ++context)
    used_[context] = counts[context] > 0;
}

std::size_t CandidateUse::num_unused_rows() const {
  std::size_t count = 0;
  for (std::size_t context = 0; context < used_.size(); ++context) {
    if (!used_[context]) count += feasible_.at(context).size();
  }
  return count;
}

}  // namespace otss
