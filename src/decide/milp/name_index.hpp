// A NameIndex maps names to positions. For an unknown name, it suggests a similar known name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace otss::internal {

class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(const std::vector<std::string>& names);

  // Returns the position of a name, and whether the name is new. A new name gets the next position.
  std::pair<std::size_t, bool> insert(std::string_view name);
  std::optional<std::size_t> find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }

  // Returns advice for an unknown name: "did you mean 'x'?", or the list of all known names if none
  // is similar.
  std::string way_out(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> position_;
};

}  // namespace otss::internal
