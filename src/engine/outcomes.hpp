// Stores the outcome of each row, and the output family. A 0/1 outcome is not stored here: it is
// the sign of its row's weight (signed_weights.hpp).
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

  // Precondition of operator[]: the family is not bernoulli. tiles() is null for bernoulli;
  // otherwise its last tile is filled up with zeros.
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
