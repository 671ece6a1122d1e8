// AnyUncertainty is a variant that can hold every kind of uncertainty that a model file can store.
#pragma once

#include <memory>
#include <variant>

#include "model/uncertainty/drawn_uncertainty.hpp"
#include "model/uncertainty/normal_uncertainty.hpp"

namespace otss::internal {

// If the uncertainty is not known, the variant holds a null pointer, which is the default.
using AnyUncertainty =
    std::variant<std::shared_ptr<const NormalUncertainty>, std::shared_ptr<const DrawnUncertainty>>;

inline const Uncertainty* as_uncertainty(const AnyUncertainty& uncertainty) {
  return std::visit([](const auto& one) -> const Uncertainty* { return one.get(); }, uncertainty);
}

}  // namespace otss::internal
