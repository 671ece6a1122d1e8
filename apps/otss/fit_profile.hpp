// Shows where the time of a fit has gone (`fit --profile`).
#pragma once

#include <string>

#include "json.hpp"
#include "otss/base/profile.hpp"

namespace otss::app {

// What a fit has done, and how long all of it took. Time that belongs to no stage is "other".
struct FitProfile {
  Profile profile;
  double total_seconds = 0;
  std::size_t num_rows = 0;  // of the log

  double other_seconds() const;
  double passes() const { return profile.rows_evaluated / static_cast<double>(num_rows); }
};

std::string describe(const FitProfile& fit);
Json to_json(const FitProfile& fit);

}  // namespace otss::app
