#include <unordered_map>

#include "data/log/fingerprint.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {
namespace {

template <class T>
std::vector<T> picked(std::span<const T> values, std::span<const std::size_t> rows) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(rows.size());
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

// Replaces the group numbers by 0, 1, 2, …, so that no number is unused. Returns the hashes of the
// groups that occur, in the order of their new numbers.
std::vector<std::uint64_t> renumber(std::span<const std::uint64_t> hashes,
                                    std::vector<std::uint32_t>& groups) {
  std::unordered_map<std::uint32_t, std::uint32_t> ids;
  std::vector<std::uint64_t> kept;
  for (std::uint32_t& group : groups) {
    const auto [found, fresh] = ids.try_emplace(group, static_cast<std::uint32_t>(ids.size()));
    if (fresh) kept.push_back(hashes[group]);
    group = found->second;
  }
  return kept;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

LoggedData rows_of(const LoggedData& log, std::span<const std::size_t> rows) {
  const int columns = log.features().num_columns();
  LoggedData::Parts parts;
  auto features = std::make_shared<TileMatrix>(rows.size(), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int c = 0; c < columns; ++c) features->at(i, c) = log.features().at(rows[i], c);
  }
  parts.features = std::move(features);
  parts.outcomes = picked(log.outcomes(), rows);
  parts.weights = picked(log.weights(), rows);
  parts.groups = picked(log.groups(), rows);
  parts.group_hashes = renumber(log.group_hashes(), parts.groups);
  parts.num_groups = parts.group_hashes.size();
  parts.times = picked(log.times(), rows);
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.fingerprint = fingerprint_of_rows(log.fingerprint(), log.num_rows(), rows);
  return LoggedData(std::move(parts));
}

}  // namespace otss
