#include "otss/model/training_table.hpp"

#include <algorithm>

#include "data/log/fingerprint.hpp"
#include "data/terms/term_columns.hpp"

namespace otss::internal {
namespace {

bool has_all_columns(const TableReader& reader, const Roles& roles) {
  std::vector<std::string> names = roles.contexts;
  names.insert(names.end(), roles.factors.begin(), roles.factors.end());
  for (const std::string& name :
       {roles.outcome, roles.weight, roles.group, roles.time, roles.unit}) {
    if (!name.empty()) names.push_back(name);
  }
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return has_factor(reader.columns(), name); });
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

bool is_training_table(const Fitted& fitted, TableReader& reader, const FeasibleSet* feasible) {
  const auto& data = fitted.report().data;
  if (!data || !has_all_columns(reader, fitted.roles())) return false;
  return has_fingerprint(reader, fitted.roles(), feasible, data->fingerprint);
}

}  // namespace otss
