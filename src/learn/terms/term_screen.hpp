// Compares candidate terms with the linear model, all candidates at once.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "learn/terms/ridge.hpp"
#include "learn/terms/term_design.hpp"

namespace otss::internal {

// A fit of the model that is linear in the factors.
struct LinearFit {
  Ridge linear;            // the coefficients of TermDesign::linear
  Eigen::VectorXd offset;  // the part of eta that TermDesign::products contribute
  Eigen::VectorXd eta;     // the linear predictors of all rows
};

// Fits the linear model to the rows of `rows`, which has the rows of the design but may give some of
// them the weight 0.
LinearFit fit_linear_model(const TermDesign& design, const Problem& rows);

// The candidates after the columns of the linear model are projected out, in the metric of the loss's
// curvature at the fit. So what the penalties shrank in the linear model does not count as
// curvature of the factors.
struct TermScreen {
  Eigen::MatrixXd projection;  // candidates ≈ [linear, products] projection
  Eigen::VectorXd residuals;   // w (y - E y) of each row
  Eigen::MatrixXd gram;        // products of the projected candidates, summed over rows
  Eigen::VectorXd scores;      // products of the projected candidates with the residuals
  Eigen::VectorXd sizes;       // diagonal of the gram matrix before the projection
};
TermScreen screen_terms(const TermDesign& design, const Problem& rows, const LinearFit& fit);

// True if the projected candidate still has a part that is not a combination of other columns.
bool is_independent(const TermScreen& screen, Eigen::Index candidate);

// Orders the candidates: each time the one follows that explains most of what is not yet explained.
// Candidates that are combinations of others are left out.
std::vector<Eigen::Index> order_by_gain(TermScreen screen);

// Returns the candidates that are not combinations of earlier candidates, in their order.
std::vector<Eigen::Index> independent_terms(TermScreen screen);

}  // namespace otss::internal
