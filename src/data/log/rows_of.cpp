#include <unordered_map>

#include "data/log/disk/copied_rows.hpp"
#include "data/log/fingerprint.hpp"
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

// Numbers the units by their first appearance in `units`, and returns the names of these units.
std::vector<std::string> renumber_units(std::vector<std::uint32_t>& units,
                                        const std::vector<std::string>& names) {
  std::unordered_map<std::uint32_t, std::uint32_t> ids;
  std::vector<std::string> kept;
  for (std::uint32_t& unit : units) {
    const auto [known, is_new] = ids.try_emplace(unit, static_cast<std::uint32_t>(ids.size()));
    if (is_new) kept.push_back(names[unit]);
    unit = known->second;
  }
  return kept;
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

LoggedData LoggedData::grouped_by_unit() const {
  Parts parts = parts_;
  parts.groups = parts_.units;
  parts.num_groups = parts_.unit_names.size();
  parts.group_hashes.clear();
  for (const std::string& unit : parts_.unit_names) parts.group_hashes.push_back(hash_text(unit));
  return LoggedData(std::move(parts));
}

LoggedData rows_of(const LoggedData& log, std::span<const std::size_t> rows) {
  LoggedData::Parts parts;
  parts.features = std::make_shared<const TileMatrix>(copied_rows(log.features(), rows));
  parts.outcomes = picked(log.outcomes(), rows);
  parts.weights = picked(log.weights(), rows);
  parts.groups = picked(log.groups(), rows);
  parts.group_hashes = renumber(log.group_hashes(), parts.groups);
  parts.num_groups = parts.group_hashes.size();
  parts.units = picked(log.units(), rows);
  parts.unit_names = renumber_units(parts.units, log.unit_names());
  parts.times = picked(log.times(), rows);
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.fingerprint = fingerprint_of_rows(log.fingerprint(), log.num_rows(), rows);
  return LoggedData(std::move(parts));
}

}  // namespace otss
