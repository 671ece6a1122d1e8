// A FactorMatch finds the logged decision of a row by its factors, for logs that do not have the id of
// the decision.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "otss/data/feasible_set.hpp"

namespace otss::internal {

class FactorMatch {
 public:
  // `feasible` must outlive this object.
  explicit FactorMatch(const FeasibleSet& feasible);

  // Returns the row of the decision with these factors in the table of the feasible set. Returns
  // nothing if no decision has them, or if several have. Factors are compared in single precision,
  // because the two tables may have rounded them differently. `context` is used only for candidates.
  std::optional<std::size_t> find(std::string_view context, std::span<const double> factors) const;

 private:
  static std::string key(std::span<const double> factors);

  const FeasibleSet& feasible_;
  // The decisions of a library by their factors. Nothing if several decisions have these factors.
  std::unordered_map<std::string, std::optional<std::size_t>> row_of_;
};

}  // namespace otss::internal
