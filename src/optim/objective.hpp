#pragma once

#include <cstddef>
#include <span>

namespace otss {

// A smooth function to minimise. evaluate() returns its value at `x` and fills `gradient`; a point
// where it is not defined returns a value that is not finite, and the line search steps back from
// it.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::size_t size() const = 0;
  virtual double evaluate(std::span<const double> x, std::span<double> gradient) = 0;
};

}  // namespace otss
