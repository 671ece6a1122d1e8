#include "model/file/finding_json.hpp"

#include <fmt/core.h>

namespace otss::internal {

Json findings_to_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& one : findings) {
    list.push_back({{"severity", word(one.severity)},
                    {"kind", one.kind},
                    {"what", one.what},
                    {"columns", one.columns}});
  }
  return list;
}

Findings findings_from_json(JsonFields& fields, const std::string& name) {
  Findings findings;
  for (const Json& json : fields.array(name)) {
    JsonFields one(json, fmt::format("{}.{}[{}]", fields.where(), name, findings.size()));
    const auto severity = parse_word<Severity>(one.text("severity"));
    if (!severity) {
      one.fail("severity",
               "has a value that this version of otss does not know; install a newer version, or "
               "fit the model again");
    }
    findings.push_back({*severity, one.text("kind"), one.text("what"), one.texts("columns")});
    one.finish();
  }
  return findings;
}

}  // namespace otss::internal
