#include "otss/model/training_table.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "data/log/centered_fingerprint.hpp"

namespace otss {
namespace {

bool has_all_columns(const TableReader& reader, const Roles& roles) {
  std::vector<std::string> names = roles.contexts;
  names.insert(names.end(), roles.factors.begin(), roles.factors.end());
  for (const std::string& name : {roles.outcome, roles.weight, roles.group, roles.time}) {
    if (!name.empty()) names.push_back(name);
  }
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return reader.has_column(name); });
}

// Null where a model file, which anybody may write, has none.
Json fingerprint_of(const Fitted& fitted) {
  const Json provenance = Json::parse(fitted.provenance());
  const auto data = provenance.find("data");
  if (data == provenance.end() || !data->is_object()) return {};
  const auto fingerprint = data->find("fingerprint");
  return fingerprint != data->end() ? *fingerprint : Json();
}

}  // namespace

bool is_training_table(const Fitted& fitted, TableReader& reader, const FeasibleSet* feasible) {
  const Json fingerprint = fingerprint_of(fitted);
  if (!fingerprint.is_string() || !has_all_columns(reader, fitted.roles())) return false;
  return fingerprint == fingerprint_centered_table(reader, fitted.roles(), feasible);
}

}  // namespace otss
