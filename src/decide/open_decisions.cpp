#include "decide/open_decisions.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::internal {

std::vector<ContextDecisions> open_decisions(const FeasibleSet& feasible,
                                             const Contexts& contexts) {
  if (feasible.is_shared()) return std::vector<ContextDecisions>(contexts.num_rows, feasible.at(0));
  if (contexts.ids.size() != contexts.num_rows) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: the decisions are listed per context, but there are {} contexts "
                            "and {} context ids; give one context id per context",
                            feasible.table(), contexts.num_rows, contexts.ids.size()));
  }
  std::vector<ContextDecisions> open;
  open.reserve(contexts.num_rows);
  for (const std::string& id : contexts.ids) open.push_back(feasible.of(id));
  return open;
}

}  // namespace otss::internal
