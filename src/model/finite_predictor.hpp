// A model's prediction for a row of a user's table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "otss/model/fitted.hpp"

namespace otss {

struct RowPlace {
  std::string_view table;
  std::size_t row = 0;  // from 0
};

// fitted.predictor(x, z). A value that is not finite is an Error(kInput) that names the place.
double finite_predictor(const Fitted& fitted, std::span<const double> x, std::span<const double> z,
                        const RowPlace& place);

}  // namespace otss
