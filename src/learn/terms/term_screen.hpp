// This header computes, for all candidate terms at once, what a term would add to the linear model.
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

// Fits the linear model. `rows` has the rows of the design; rows with the weight 0 are ignored.
LinearFit fit_linear_model(const TermDesign& design, const Problem& rows);

// The candidates after the columns of the linear model are projected out. The projection weights
// each row by the curvature of its loss at the fit. Because of the projection, an effect that the
// penalties of the linear model shrank does not look like curvature of the factors.
struct TermScreen {
  Eigen::MatrixXd projection;  // candidates ≈ [linear, products] · projection
  Eigen::VectorXd residuals;   // weight · (y - E y) of each row
  Eigen::MatrixXd gram;        // weighted products of projected candidates, summed over rows
  Eigen::VectorXd scores;      // products of projected candidates and residuals, summed over rows
  Eigen::VectorXd sizes;       // diagonal of the gram matrix before the projection
};
TermScreen screen_terms(const TermDesign& design, const Problem& rows, const LinearFit& fit);

// True if the projected candidate is more than a combination of other columns.
bool is_independent(const TermScreen& screen, Eigen::Index candidate);

// Returns the candidates in the order in which they are worth adding: each candidate explains the
// most of what the linear model and the candidates before it leave unexplained. Candidates that are
// combinations of other columns are left out.
std::vector<Eigen::Index> order_by_gain(TermScreen screen);

// Returns the candidates that are not combinations of earlier candidates, in the order of
// TermDesign::terms.
std::vector<Eigen::Index> independent_terms(TermScreen screen);

}  // namespace otss::internal
