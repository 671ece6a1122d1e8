// A DeviationBasis writes the deviations of a unit as (v, u) = L e, where L L' is the covariance of
// the deviations and e ~ N(0, I). L has one column per direction in which units differ. So the
// computations also work for a singular covariance, and they are small if units differ in few
// directions. The entries of e are called coordinates.
#pragma once

#include <span>
#include <vector>

#include "otss/model/units.hpp"

namespace otss::internal {

class DeviationBasis {
 public:
  // The basis of units that do not differ.
  explicit DeviationBasis(int num_factors) : size_(1 + num_factors) {}
  // Precondition: check_deviations accepts the deviations.
  DeviationBasis(const Deviations& deviations, int num_factors);

  int size() const { return size_; }  // returns 1 + J
  int rank() const { return rank_; }  // returns the number of coordinates

  // Computes `direction` = L'(1, z). A row with the standardised factors z has the predictor
  // offset + direction'e.
  void project(std::span<const double> z, std::span<double> direction) const;
  // Computes `deviation` = L e: v first, then u for standardised factors.
  void expand(std::span<const double> coordinates, std::span<double> deviation) const;
  // Returns row i of L, which has rank() entries. Row 0 belongs to v.
  std::span<const double> row(int i) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(i) * rank_, rank_);
  }
  // Returns the largest absolute entry of covariance - L L', divided by the largest variance. The
  // result is about 0 if and only if the covariance is positive semidefinite.
  double remainder() const { return remainder_; }

 private:
  int size_ = 0;
  int rank_ = 0;
  double remainder_ = 0;
  std::vector<double> rows_;  // L, row by row
};

}  // namespace otss::internal
