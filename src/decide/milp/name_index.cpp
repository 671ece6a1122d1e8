#include "decide/milp/name_index.hpp"

#include <fmt/core.h>

#include "data/table/columns.hpp"

namespace otss::internal {

NameIndex::NameIndex(const std::vector<std::string>& names) {
  for (const std::string& name : names) insert(name);
}

std::pair<std::size_t, bool> NameIndex::insert(std::string_view name) {
  const auto [entry, is_new] = position_.emplace(std::string(name), names_.size());
  if (is_new) names_.emplace_back(name);
  return {entry->second, is_new};
}

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  const auto entry = position_.find(std::string(name));
  if (entry == position_.end()) return std::nullopt;
  return entry->second;
}

std::string NameIndex::way_out(std::string_view name) const {
  const std::string nearest = nearest_name(name, names_);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return names_.empty() ? "no name is defined" : "the names are " + list_names(names_);
}

}  // namespace otss::internal
