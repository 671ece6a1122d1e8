// A UnitModel holds what all units of a model share: the basis of their deviations, and the draws
// from which intervals are made.
#pragma once

#include <span>
#include <vector>

#include "model/units/deviation_basis.hpp"
#include "model/units/unit_moments.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {

// The error of (b + v, w + u) of a unit, for standardised factors, is carried δ + own ε, where δ is the
// error of (b, w) of the population and ε ~ N(0, I).
//
// The unit's rows determine w + u. So if w is too small by some δ = L d, then the mean of the unit's
// coordinates is too large by P⁻¹ (P - I) d, where P is their precision. Therefore
//
//   carried δ = δ - L P⁻¹ (P - I) d,   own = L P^(-1/2)
//
// A part of δ that is outside of the span of L is not corrected by the unit's rows.
struct UnitErrorMap {
  std::vector<double> carried;  // (1 + J) × (1 + J)
  std::vector<double> own;      // (1 + J) × rank
};

class UnitModel {
 public:
  // Throws an Error(kUsage) if the model was fitted without units.
  explicit UnitModel(const Fitted& fitted);

  const Fitted& fitted() const { return fitted_; }
  const DeviationBasis& basis() const { return basis_; }
  int rank() const { return basis_.rank(); }
  UnitMoments make_moments() const;  // computes posteriors of units

  // Replaces the factors of a decision, in the log's units, by standardised factors.
  void standardise(std::span<double> z) const;

  // Computes the coordinates d of a deviation L d, (L'L)⁻¹ L' times the deviation. A part of the
  // deviation that is outside of the span of L is lost.
  void coordinates_of(std::span<const double> deviation, std::span<double> coordinates) const;

  // Returns how the error of a unit with this belief follows from the population's.
  UnitErrorMap error_map(std::span<const double> factor) const;

  // Returns `draws` rows of rank() standard normal numbers. They are independent of the first 1 + J
  // columns of exact_normals, which NormalUncertainty uses.
  const std::vector<double>& normals() const { return normals_; }
  // Each draw of the population's error is used this often, with other numbers of normals().
  std::size_t repeats() const { return repeats_; }

 private:
  Fitted fitted_;
  DeviationBasis basis_;
  std::vector<double> inverse_;  // rank × (1 + J): (L'L)⁻¹ L', which maps L d to d
  std::vector<double> normals_;
  std::size_t repeats_ = 1;
};

// Returns the belief that has this mean and this factor.
UnitBelief make_belief(const std::shared_ptr<const UnitModel>& model, std::span<const double> mean,
                       std::span<const double> factor);
// Returns the belief about a unit whose posterior has been computed.
UnitBelief make_belief(const std::shared_ptr<const UnitModel>& model, const UnitMoments& posteriors,
                       std::size_t unit);

}  // namespace otss::internal
