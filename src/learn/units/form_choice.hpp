// Chooses the form of the covariance of units' deviations by the loss on rows held out within
// units.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/split.hpp"
#include "learn/units/marginal_fit.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// The rows on which the form is chosen.
struct FormData {
  const Problem& problem;
  const UnitIndex& index;
  Folds folds;                            // rows held out within units
  std::span<const std::uint32_t> groups;  // one per row; the losses of one group are dependent
};

struct FormTrial {
  MarginalFit fit;             // the fit to all rows
  std::vector<double> losses;  // of the held-out rows, else NaN
  MeanAndError loss;
};

// Fits every form: first the full covariance, then the simpler forms, which start from it. For each
// fold, the covariance is fitted again without the held-out rows. The population's theta is that of
// all rows, for the form none too, so that it does not favour any form. Above kMostFullSize
// deviations, only the forms none, intercept and diagonal are tried. The result has the simplest
// form first.
constexpr int kMostFullSize = 27;
std::vector<FormTrial> try_forms(const FormData& data, const PopulationPrior& prior,
                                 const Population& without, int num_threads);

struct FormChoice {
  std::size_t chosen = 0;  // the simplest form within one standard error of the best
  std::size_t judged = 0;  // the chosen form, or the best form if kNone was chosen
  MeanAndError gain;       // the loss of kNone minus the loss of the judged form
};
FormChoice choose_form(const FormData& data, const std::vector<FormTrial>& trials);

}  // namespace otss::internal
