#include "model/file/weight_checks_json.hpp"

namespace otss::internal {
namespace {

double share_of(JsonFields& fields, const std::string& name) {
  const double value = fields.number(name);
  if (!(value >= 0 && value <= 1)) fields.fail(name, "is not between 0 and 1; fit the model again");
  return value;
}

GateTest gate_test_from_json(JsonFields fields) {
  GateTest test{.columns = fields.count("columns"),
                .p_value = share_of(fields, "p_value"),
                .gain = fields.number("gain"),
                .discrepancy = fields.numbers("discrepancy")};
  fields.finish();
  return test;
}

}  // namespace

Json weight_checks_to_json(const WeightChecks& checks) {
  Json json = Json::object();
  if (checks.known_share) json["known_share"] = *checks.known_share;
  if (checks.gate) {
    json["gate"] = {{"columns", checks.gate->columns},
                    {"p_value", checks.gate->p_value},
                    {"gain", checks.gate->gain},
                    {"discrepancy", checks.gate->discrepancy}};
  }
  return json;
}

WeightChecks weight_checks_from_json(JsonFields& fields, int /*version*/) {
  WeightChecks checks;
  if (fields.has("known_share")) checks.known_share = share_of(fields, "known_share");
  if (fields.has("gate")) checks.gate = gate_test_from_json(fields.object("gate"));
  return checks;
}

}  // namespace otss::internal
