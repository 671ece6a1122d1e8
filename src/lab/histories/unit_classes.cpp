#include <Eigen/Cholesky>
#include <cmath>

#include "base/random.hpp"
#include "lab/histories/history_methods.hpp"
#include "lab/histories/panel_rows.hpp"
#include "lab/histories/ridge_logistic.hpp"

namespace otss::internal {
namespace {

const std::vector<int> kClassCounts = {2, 3, 5, 8};
constexpr double kClassPrecision = 1;   // ridge penalty of the coefficients of a class
constexpr double kMemberPrecision = 1;  // ridge penalty of the membership's coefficients
constexpr int kIterations = 80;
constexpr int kNewtonStepsOfClass = 2;   // per iteration; the next iteration goes on from there
constexpr double kStartDeviation = 0.5;  // of the classes' coefficients about the pooled ones
constexpr std::uint64_t kStartSeed = 1;

// Rows with their units. The predictor of a row in class k is c_k'(1, z, x).
struct ClassRows {
  Eigen::MatrixXd design;  // one column (1, z, x) per row
  Eigen::VectorXd outcomes;
  std::vector<std::size_t> units;  // the unit of each row
  Eigen::MatrixXd members;         // one column (1, mean context of its rows) per unit
};

class UnitClasses {
 public:
  UnitClasses(const ClassRows& rows, int num_classes) {
    const Eigen::Index count = rows.outcomes.size();
    RidgeLogistic problem{rows.design, rows.outcomes, Eigen::VectorXd::Zero(count),
                          Eigen::VectorXd::Ones(count), kClassPrecision};
    const Eigen::VectorXd pooled = problem.fit(Eigen::VectorXd::Zero(rows.design.rows()));
    Rng rng(kStartSeed, num_classes);
    classes_ = pooled.replicate(1, num_classes);
    for (double& entry : classes_.reshaped()) entry += kStartDeviation * rng.normal();
    membership_ = Eigen::MatrixXd::Zero(rows.members.rows(), num_classes);
    for (int i = 0; i < kIterations; ++i) improve(rows, problem);
  }

  // Returns the probabilities of the classes, one column per unit, given the rows of the units.
  Eigen::MatrixXd responsibilities(const ClassRows& rows) const {
    Eigen::MatrixXd scores = membership_.transpose() * rows.members;
    const Eigen::MatrixXd eta = classes_.transpose() * rows.design;
    for (Eigen::Index r = 0; r < eta.cols(); ++r) {
      for (Eigen::Index k = 0; k < eta.rows(); ++k)
        scores(k, static_cast<Eigen::Index>(rows.units[r])) -=
            logistic_loss(rows.outcomes[r], eta(k, r));
    }
    return softmax_columns(std::move(scores));
  }

  // Returns the log-loss of the rows `later` of units whose rows `earlier` are known.
  double loss(const ClassRows& earlier, const ClassRows& later) const {
    const Eigen::MatrixXd shares = responsibilities(earlier);
    const Eigen::MatrixXd eta = classes_.transpose() * later.design;
    double sum = 0;
    for (Eigen::Index r = 0; r < eta.cols(); ++r) {
      double probability = 0;
      for (Eigen::Index k = 0; k < eta.rows(); ++k) {
        probability += shares(k, static_cast<Eigen::Index>(later.units[r])) *
                       std::exp(-logistic_loss(later.outcomes[r], eta(k, r)));
      }
      sum -= std::log(probability);
    }
    return sum;
  }

  // Returns the coefficients of (1, z, x): one column per class.
  const Eigen::MatrixXd& classes() const { return classes_; }

 private:
  static Eigen::MatrixXd softmax_columns(Eigen::MatrixXd scores) {
    scores.rowwise() -= scores.colwise().maxCoeff().eval();
    scores = scores.array().exp();
    scores.array().rowwise() /= scores.colwise().sum().array().eval();
    return scores;
  }

  // An iteration of EM. `problem` has the design and the outcomes.
  void improve(const ClassRows& rows, RidgeLogistic& problem) {
    const Eigen::MatrixXd shares = responsibilities(rows);
    for (Eigen::Index k = 0; k < classes_.cols(); ++k) {
      for (Eigen::Index r = 0; r < problem.weights.size(); ++r)
        problem.weights[r] = shares(k, static_cast<Eigen::Index>(rows.units[r]));
      classes_.col(k) = problem.fit(classes_.col(k), kNewtonStepsOfClass);
    }
    // A step that cannot increase the loss: I/2 bounds the curvature of the softmax (Böhning 1992).
    Eigen::MatrixXd bound = rows.members * rows.members.transpose() / 2;
    bound.diagonal().array() += kMemberPrecision;
    const Eigen::MatrixXd prior = softmax_columns(membership_.transpose() * rows.members);
    membership_ += bound.llt().solve(rows.members * (shares - prior).transpose() -
                                     kMemberPrecision * membership_);
  }

  Eigen::MatrixXd classes_;     // one column (1, z, x) per class
  Eigen::MatrixXd membership_;  // one column (1, x) per class; the shares are a softmax
};

// `units` has the rows of each unit; a unit without rows must have a context in `contexts`, which
// has one column per unit and is averaged with the contexts of the rows. It may be empty.
ClassRows class_rows(const Simulation& s, const SimulatedRows& rows,
                     const std::vector<UnitRowNumbers>& units, const Eigen::MatrixXd& contexts) {
  UnitRowNumbers all;
  ClassRows result;
  const int p = s.num_contexts;
  result.members.resize(1 + p, static_cast<Eigen::Index>(units.size()));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto unit = static_cast<Eigen::Index>(i);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(p);
    if (contexts.cols() > 0) sum = contexts.col(unit);
    for (const std::size_t row : units[i]) {
      sum += context_of(s, rows, row);
      all.push_back(row);
      result.units.push_back(i);
    }
    const auto count = static_cast<double>(units[i].size() + (contexts.cols() > 0 ? 1 : 0));
    result.members(0, unit) = 1;
    result.members.col(unit).tail(p) = sum / std::max(count, 1.0);
  }
  const Eigen::MatrixXd z = unit_design(s, rows, all);
  result.design.resize(z.rows() + p, z.cols());
  result.design.topRows(z.rows()) = z;
  for (Eigen::Index r = 0; r < z.cols(); ++r)
    result.design.col(r).tail(p) = context_of(s, rows, all[r]);
  result.outcomes = outcomes_of(rows, all);
  return result;
}

std::vector<double> weights_of_new_units(const PanelTrial& trial, const UnitClasses& model,
                                         std::size_t history_rows) {
  const Simulation& s = trial.simulation;
  std::vector<UnitRowNumbers> units;
  Eigen::MatrixXd contexts(s.num_contexts, s.test.num_rows);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    units.push_back(history_of(trial, i, history_rows));
    contexts.col(static_cast<Eigen::Index>(i)) = context_of(s, s.test, i);
  }
  const Eigen::MatrixXd shares =
      model.responsibilities(class_rows(s, trial.histories, units, contexts));
  const Eigen::MatrixXd w = model.classes().middleRows(1, s.num_factors) * shares;
  return {w.data(), w.data() + w.size()};
}

}  // namespace

HistoryMethod fit_unit_classes(const PanelTrial& trial) {
  const Simulation& s = trial.simulation;
  const std::vector<WithinUnits> folds = folds_within_units(s.train);
  const int count = least_loss(kClassCounts, [&](int candidate) {
    double sum = 0;
    for (const WithinUnits& fold : folds) {
      const ClassRows fitted = class_rows(s, s.train, fold.fitted, {});
      sum += UnitClasses(fitted, candidate).loss(fitted, class_rows(s, s.train, fold.held_out, {}));
    }
    return sum;
  });
  const UnitClasses model(class_rows(s, s.train, rows_of_units(s.train), {}), count);
  return {"unit-classes", [&trial, model](std::size_t history_rows) {
            return weights_of_new_units(trial, model, history_rows);
          }};
}

}  // namespace otss::internal
