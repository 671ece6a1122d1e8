// Stores the outcome of each row, and the output family. 0/1 outcomes are not stored here, because
// SignedWeights stores them as signs of the row weights (signed_weights.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss::internal {

// An outcome in the log's units is center + scale * value, where `value` is the number that the fit
// uses.
struct OutcomeUnits {
  double center = 0;
  double scale = 1;
};

class Outcomes {
 public:
  Outcomes() = default;  // the family is bernoulli
  Outcomes(OutputFamily family, std::span<const float> own_units, const OutcomeUnits& units = {});

  OutputFamily family() const { return family_; }
  const OutcomeUnits& units() const { return units_; }

  // Do not call operator[] if the family is bernoulli. tiles() returns null if the family is
  // bernoulli. Otherwise the last tile is filled up with zeros.
  float operator[](std::size_t row) const { return (*values_)[row]; }
  const float* tiles() const { return values_ ? values_->data() : nullptr; }

  // Returns the outcomes of the given rows, in the order of `rows`.
  Outcomes of(std::span<const std::size_t> rows) const;

 private:
  OutputFamily family_;
  OutcomeUnits units_;
  std::shared_ptr<const std::vector<float>> values_;  // shared by all folds of a log
};

}  // namespace otss::internal
