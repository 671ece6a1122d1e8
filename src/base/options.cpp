#include "otss/base/options.hpp"

namespace otss {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  bool at_start = true;  // of a name
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    const bool is_pair = quoted && c == '"' && i + 1 < list.size() && list[i + 1] == '"';
    if (is_pair) {
      name += c;
      ++i;
    } else if (c == '"' && (quoted || at_start)) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      names.push_back(std::move(name));
      name.clear();
    } else {
      name += c;
    }
    at_start = c == ',' && !quoted;
  }
  if (!list.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace otss
