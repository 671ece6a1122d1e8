#include "report/json/shown_numbers.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>

namespace otss::internal {

Json shown(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json shown(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(shown(value));
  return list;
}

Json shown(const std::vector<std::vector<double>>& rows) {
  Json list = Json::array();
  for (const std::vector<double>& row : rows) list.push_back(shown(std::span(row)));
  return list;
}

Json shown(const Estimate& estimate) {
  return {{"value", shown(estimate.value)}, {"lo", shown(estimate.lo)}, {"hi", shown(estimate.hi)}};
}

Json shown(const std::vector<Estimate>& estimates) {
  Json list = Json::array();
  for (const Estimate& estimate : estimates) list.push_back(shown(estimate));
  return list;
}

std::string utf8_name(const std::string& name) {
  try {
    Json(name).dump();
    return name;
  } catch (const Json::type_error&) {
    std::string ascii = name;
    for (char& c : ascii) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
    return ascii;
  }
}

}  // namespace otss::internal
