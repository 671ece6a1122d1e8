// A unit is a customer, a household or a driver: whoever appears in several rows of a log. A model
// that was fitted with a unit column knows how much the weights of units differ. The predictor of a
// row of unit i is
//
//   eta = b(x) + v_i + (w(x) + u_i)'(z - center),      (v_i, u_i) ~ N(0, covariance)
//
// where w(x) are the weights of the population. The rows of a unit say more about v_i and u_i.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "otss/base/options.hpp"

namespace otss::internal {
class UnitModel;
}

namespace otss {

class Fitted;  // declared in otss/model/fitted.hpp

// The form of the covariance of (v_i, u_i).
enum class DeviationForm {
  kNone,       // units do not differ
  kIntercept,  // only v_i differs between units
  kDiagonal,   // v_i and the entries of u_i are independent of each other
  kLowRank,    // units differ in few directions
  kFull,       // any covariance
};

constexpr auto word_table(DeviationForm) {
  return std::to_array<WordOf<DeviationForm>>({{DeviationForm::kNone, "none"},
                                               {DeviationForm::kIntercept, "intercept"},
                                               {DeviationForm::kDiagonal, "diagonal"},
                                               {DeviationForm::kLowRank, "low-rank"},
                                               {DeviationForm::kFull, "full"}});
}

// The distribution of the deviations of units from the population.
struct Deviations {
  DeviationForm form = DeviationForm::kNone;
  // The number of directions in which units differ, at most 1 + J. The covariance has at most this
  // rank. The form none has rank 0 and the form intercept rank 1.
  int rank = 0;
  // The covariance of (v, u), with (1 + J)² entries, row by row. v comes first, then one entry per
  // factor. The entries are those of standardised factors, (z - center) / scale, with the centers
  // and scales of the model's encoder. Gaussian outcomes keep their own units.
  std::vector<double> covariance = {};

  bool operator==(const Deviations&) const = default;
};

// Throws an Error(kInput) that begins with "the model's units" if the deviations are not those of a
// model with `num_factors` factors: the covariance must be finite, symmetric and positive
// semidefinite, and must agree with the form and the rank.
void check_deviations(const Deviations& deviations, int num_factors);

// What is known about one unit: the normal distribution of its deviation (v, u), given its rows.
// UnitStates::belief computes it. Functions that take a pointer to a UnitBelief take null for a
// unit without rows, whose weights are those of the population, w(x).
struct UnitBelief {
  // The mean of u, one entry per factor, in the units of the log's own columns. The weights of the
  // unit are w(x) plus these numbers.
  std::vector<double> weights = {};
  double intercept = 0;  // the mean of v
  // The distribution of the unit's coordinates (docs/reference/units-file.md): their mean, and the
  // lower triangular factor of their precision, row by row without the zeros.
  std::vector<double> mean = {};
  std::vector<double> factor = {};
  std::shared_ptr<const internal::UnitModel> model = {};  // internal to the library
};

// What is known about the unit of each row; null for a unit without rows. Empty means that the rows
// have no units.
using UnitBeliefs = std::span<const UnitBelief* const>;

// Computes the probability of each expert, given the rows of a unit: the probability that the unit's
// weights in context x are those of this expert plus a deviation. Before any row is known, the
// probabilities are the shares of the experts in context x. `unit` is null for a unit without rows.
// The model must have experts, else this is an Error(kInput).
void expert_posterior(const Fitted& fitted, std::span<const double> x, const UnitBelief* unit,
                      std::span<double> probabilities);

// Adds the mean deviation of each row's unit to the weights w(x) of the row. w is rows × J. Nothing
// is added if `units` is empty.
void add_deviations(UnitBeliefs units, std::span<double> w);

}  // namespace otss
