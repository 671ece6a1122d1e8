#include "model/file/calibration_json.hpp"

#include <fmt/core.h>

namespace otss::internal {

Json calibration_to_json(const std::vector<PredictionBin>& bins) {
  Json list = Json::array();
  for (const PredictionBin& one : bins) {
    list.push_back({{"rows", one.rows},
                    {"predicted", one.predicted},
                    {"observed", one.observed},
                    {"standard_error", one.standard_error}});
  }
  return list;
}

std::vector<PredictionBin> calibration_from_json(JsonFields& fields, const std::string& name) {
  std::vector<PredictionBin> bins;
  for (const Json& json : fields.array(name)) {
    JsonFields one(json, fmt::format("{}.{}[{}]", fields.where(), name, bins.size()));
    bins.push_back({one.count("rows"), one.number("predicted"), one.number("observed"),
                    one.number("standard_error")});
    if (bins.back().standard_error < 0)
      one.fail("standard_error", "is negative; fit the model again");
    one.finish();
  }
  return bins;
}

}  // namespace otss::internal
