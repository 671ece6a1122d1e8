// Names to positions, with a suggestion for a name that is not there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace otss {

class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(const std::vector<std::string>& names);

  // The name's position; a new name takes the next one. `second` says whether it was new.
  std::pair<std::size_t, bool> insert(std::string_view name);
  std::optional<std::size_t> find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }

  // "did you mean 'x'?", or the names there are.
  std::string way_out(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> position_;
};

}  // namespace otss
