// This header computes a model's prediction for a row of a user's table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "otss/model/fitted.hpp"

namespace otss::internal {

struct RowPlace {
  std::string_view table;
  std::size_t row = 0;  // the row number, counted from 0
};

// Returns fitted.predictor(x, z, unit). If the prediction is not finite, throws an Error(kInput) that
// names `place`.
double finite_predictor(const Fitted& fitted, std::span<const double> x, std::span<const double> z,
                        const RowPlace& place, const UnitBelief* unit = nullptr);

}  // namespace otss::internal
