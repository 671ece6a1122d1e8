#include "learn/terms/term_screen.hpp"

#include <Eigen/Cholesky>
#include <limits>

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A candidate counts as a combination of other columns if projecting these columns out leaves at
// most this share of the candidate's sum of squares.
constexpr double kIndependentShare = 2e-3;
// The penalty of a chosen candidate, counted in rows. When the candidate is projected out, this
// penalty is added to its diagonal entry of the gram matrix.
constexpr double kChosenPenalty = 5;

MatrixXd all_columns(const TermDesign& design) {
  MatrixXd columns(design.linear.rows(), design.linear.cols() + design.products.cols());
  columns << design.linear, design.products;
  return columns;
}

// Removes what the chosen candidate explains from the gram matrix and from the scores.
void project_out(TermScreen& screen, Index chosen, double penalty) {
  const VectorXd column = screen.gram.col(chosen);
  const double size = column[chosen] + penalty;
  screen.scores -= column * (screen.scores[chosen] / size);
  screen.gram -= column * column.transpose() / size;
  screen.gram.col(chosen).setZero();
  screen.gram.row(chosen).setZero();
}

}  // namespace

LinearFit fit_linear_model(const TermDesign& design, const Problem& rows) {
  const MatrixXd columns = all_columns(design);
  std::vector<TermBlock> blocks = design.linear_blocks;
  blocks.resize(columns.cols(), TermBlock::kProducts);
  const VectorXd nothing = VectorXd::Zero(columns.rows());
  LinearFit fit{fit_ridge(rows, nothing, columns, blocks), nothing, {}};
  fit.eta = columns * fit.linear.coefficients;
  if (design.products.cols() > 0)
    fit.offset = design.products * fit.linear.coefficients.tail(design.products.cols());
  fit.linear.coefficients.conservativeResize(design.linear.cols());
  return fit;
}

TermScreen screen_terms(const TermDesign& design, const Problem& rows, const LinearFit& fit) {
  const MatrixXd columns = all_columns(design);
  const RowDerivatives at = row_derivatives(rows, fit.eta);
  const VectorXd roots = at.curvatures.cwiseSqrt();
  const MatrixXd scaled = roots.asDiagonal() * columns;
  const MatrixXd candidates = roots.asDiagonal() * design.candidates;
  MatrixXd gram = scaled.transpose() * scaled;
  gram.diagonal().array() += 1e-9 * gram.trace() / static_cast<double>(gram.rows());
  const MatrixXd shared = scaled.transpose() * candidates;
  TermScreen screen;
  screen.residuals = at.residuals;
  screen.projection = gram.ldlt().solve(shared);
  screen.gram = candidates.transpose() * candidates;
  screen.sizes = screen.gram.diagonal();
  screen.gram -= shared.transpose() * screen.projection;
  screen.scores = design.candidates.transpose() * at.residuals -
                  screen.projection.transpose() * (columns.transpose() * at.residuals);
  return screen;
}

bool is_independent(const TermScreen& screen, Index candidate) {
  return screen.gram(candidate, candidate) > kIndependentShare * screen.sizes[candidate];
}

std::vector<Index> order_by_gain(TermScreen screen) {
  std::vector<Index> order;
  while (true) {
    Index best = -1;
    double most = 0;
    for (Index c = 0; c < screen.scores.size(); ++c) {
      if (!is_independent(screen, c)) continue;
      const double gain = screen.scores[c] * screen.scores[c] / screen.gram(c, c);
      if (gain <= most) continue;
      best = c;
      most = gain;
    }
    if (best < 0) return order;
    order.push_back(best);
    project_out(screen, best, kChosenPenalty);
  }
}

std::vector<Index> independent_terms(TermScreen screen) {
  std::vector<Index> kept;
  for (Index c = 0; c < screen.scores.size(); ++c) {
    if (!is_independent(screen, c)) continue;
    kept.push_back(c);
    project_out(screen, c, 0);
  }
  return kept;
}

}  // namespace otss::internal
