// What came of each row, under which family. A 0/1 outcome is the sign of its row's weight
// (signed_weights.hpp) and takes no memory here.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss {

// The outcome in the log's own units is center + scale * the value learners see.
struct OutcomeUnits {
  double center = 0;
  double scale = 1;
};

class Outcomes {
 public:
  Outcomes() = default;  // bernoulli
  Outcomes(OutputFamily family, std::span<const float> own_units, const OutcomeUnits& units = {});

  OutputFamily family() const { return family_; }
  const OutcomeUnits& units() const { return units_; }

  // Not for bernoulli, which has none. Tiles are whole: values past the last row are 0.
  float operator[](std::size_t row) const { return (*values_)[row]; }
  const float* tiles() const { return values_ ? values_->data() : nullptr; }

  // Those of some rows, in the order given.
  Outcomes of(std::span<const std::size_t> rows) const;

 private:
  OutputFamily family_;
  OutcomeUnits units_;
  std::shared_ptr<const std::vector<float>> values_;  // shared by all folds of a log
};

}  // namespace otss
