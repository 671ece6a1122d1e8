#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "learn/averaging/cross_validation.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/split.hpp"
#include "learn/terms/term_screen.hpp"
#include "otss/learn/terms.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The numbers of terms that Terms::kAuto compares.
constexpr std::array<std::size_t, 9> kTermCounts{0, 1, 2, 3, 5, 8, 13, 21, 34};
// Terms are kept if they lower the held-out loss by at least this many standard errors.
constexpr double kProvenGain = 2;
constexpr double kMostShrinkage = 30;

// Fits the linear model with the given terms, and writes the columns of this regression to
// `columns`. The products of contexts and factors keep the coefficients that they have in `fit`.
Ridge fit_with_terms(const TermDesign& design, const Problem& rows, const LinearFit& fit,
                     std::span<const Index> terms, const Ridge& start, MatrixXd& columns) {
  columns.resize(design.linear.rows(), design.linear.cols() + static_cast<Index>(terms.size()));
  columns.leftCols(design.linear.cols()) = design.linear;
  for (std::size_t t = 0; t < terms.size(); ++t)
    columns.col(design.linear.cols() + static_cast<Index>(t)) = design.candidates.col(terms[t]);
  std::vector<TermBlock> blocks = design.linear_blocks;
  blocks.resize(columns.cols(), TermBlock::kTerms);
  return fit_ridge(rows, fit.offset, columns, blocks, start);
}

// For each entry of kTermCounts, the linear predictor of each row. The predictor of a row comes
// from a fit that did not use this row; it is NaN if there is no such fit.
using HeldOutPredictors = std::vector<std::vector<double>>;

void predict_fold(const TermDesign& design, const Folds& folds, int fold,
                  HeldOutPredictors& predictors) {
  const Problem training = folds.training(design.sample, fold);
  const LinearFit fit = fit_linear_model(design, training);
  const std::vector<Index> order = order_by_gain(screen_terms(design, training, fit));
  Ridge ridge = fit.linear;
  MatrixXd columns;
  for (std::size_t s = 0; s < kTermCounts.size(); ++s) {
    const std::size_t count = std::min(kTermCounts[s], order.size());
    ridge = fit_with_terms(design, training, fit, std::span(order).first(count), ridge, columns);
    const VectorXd eta = fit.offset + columns * ridge.coefficients;
    for (Index i = 0; i < eta.size(); ++i) {
      if (folds.of_row[i] == fold) predictors[s][i] = eta[i];
    }
  }
}

struct TermCount {
  std::size_t count = 0;
  MeanAndError gain;  // the held-out loss without terms minus the loss with the terms
};

// Returns the number of terms with the lowest held-out loss, or 0 if the gain is below kProvenGain
// standard errors.
TermCount best_count(const LoggedData& log, const TermDesign& design, const TermOptions& options) {
  const Folds of_log = split_rows(log, {.seed = options.seed}).folds;
  Folds folds{of_log.count, {}};
  for (const std::size_t row : design.rows) folds.of_row.push_back(of_log.of_row[row]);
  HeldOutPredictors predictors(
      kTermCounts.size(),
      std::vector<double>(design.rows.size(), std::numeric_limits<double>::quiet_NaN()));
  parallel_for(folds.count, options.threads, [&](std::size_t fold) {
    predict_fold(design, folds, static_cast<int>(fold), predictors);
  });
  const std::vector<double> none = row_losses(design.sample, folds, predictors[0]);
  TermCount best;
  for (std::size_t s = 1; s < kTermCounts.size(); ++s) {
    std::vector<double> gains = row_losses(design.sample, folds, predictors[s]);
    for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = none[i] - gains[i];
    const MeanAndError gain = mean_and_error(design.sample, gains, design.groups);
    if (gain.mean > best.gain.mean) best = {kTermCounts[s], gain};
  }
  return best.gain.mean > kProvenGain * best.gain.standard_error ? best : TermCount{};
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

ChosenTerms choose_terms(const LoggedData& log, Terms terms, const TermOptions& options) {
  ChosenTerms chosen;
  if (terms == Terms::kNone) return chosen;
  const TermDesign design = make_term_design(log, terms, defaults::kSelectionRows, options);
  if (design.terms.empty()) return chosen;
  std::size_t count = design.terms.size();
  if (terms == Terms::kAuto) {
    const TermCount best = best_count(log, design, options);
    if (best.count == 0) return chosen;
    chosen.gain = best.gain;
    count = best.count;
  }
  const LinearFit fit = fit_linear_model(design, design.sample);
  TermScreen screen = screen_terms(design, design.sample, fit);
  std::vector<Index> order = terms == Terms::kAuto ? order_by_gain(std::move(screen))
                                                   : independent_terms(std::move(screen));
  order.resize(std::min(order.size(), count));
  MatrixXd columns;
  const Ridge ridge = fit_with_terms(design, design.sample, fit, order, fit.linear, columns);
  const auto strength = [&](TermBlock block) {
    return ridge.strengths[static_cast<std::size_t>(block)];
  };
  chosen.shrinkage = std::clamp(
      std::sqrt(strength(TermBlock::kTerms) / strength(TermBlock::kFactors)), 1.0, kMostShrinkage);
  for (const Index term : order) chosen.names.push_back(design.terms[term].name());
  return chosen;
}

void add_terms(const ChosenTerms& chosen, Roles& roles) {
  roles.factors.insert(roles.factors.end(), chosen.names.begin(), chosen.names.end());
  roles.term_shrinkage = chosen.shrinkage;
}

}  // namespace otss
