// This header writes the numbers, estimates and names of a report as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/facts.hpp"

namespace otss::internal {

// Returns a number that is only shown: it has six digits, so that the file stays small. A number
// that is not known is null.
Json shown(double value);
Json shown(std::span<const double> values);
Json shown(const std::vector<std::vector<double>>& rows);
Json shown(const Estimate& estimate);
Json shown(const std::vector<Estimate>& estimates);

// Returns the value, or null if there is none.
template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// Returns a name that JSON can hold. JSON is UTF-8, but the name of a file may have any bytes.
std::string utf8_name(const std::string& name);

}  // namespace otss::internal
