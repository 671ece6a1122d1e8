#include "otss/base/options.hpp"

namespace otss {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  for (const char c : list) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      names.push_back(std::move(name));
      name.clear();
    } else {
      name += c;
    }
  }
  if (!list.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace otss
