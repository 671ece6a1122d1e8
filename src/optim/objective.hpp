#pragma once

#include <cstddef>
#include <span>

namespace otss::internal {

// A smooth function to minimise. evaluate() returns its value at `x` and fills `gradient`. Where
// the function is not defined, evaluate() returns a value that is not finite, and the line search
// then takes a shorter step.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::size_t size() const = 0;
  virtual double evaluate(std::span<const double> x, std::span<double> gradient) = 0;
};

}  // namespace otss::internal
