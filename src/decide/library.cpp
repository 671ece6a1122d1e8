#include "otss/decide/library.hpp"

#include <fmt/core.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "decide/decision_rows.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

void check_unique(const TableReader& reader, const std::string& column,
                  const std::vector<std::string>& ids) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto [first, is_new] = seen.emplace(ids[row], row);
    if (is_new) continue;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: row {}, column {}: id '{}' is already that of row {}; give every "
                            "decision an id of its own",
                            reader.name(), row + 1, column, ids[row], first->second + 1));
  }
}

}  // namespace

Library read_library(const TableReader& reader, const std::string& id_column,
                     const std::vector<std::string>& factors) {
  DecisionRows rows = read_decision_rows(reader, {{id_column, "--id"}}, factors);
  check_unique(reader, id_column, rows.texts[0]);
  return {std::move(rows.texts[0]), static_cast<int>(factors.size()), std::move(rows.factors)};
}

}  // namespace otss
