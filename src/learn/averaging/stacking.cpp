#include "learn/averaging/stacking.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "model/family_formulas.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

class StackObjective final : public Objective {
 public:
  StackObjective(const Problem& problem, const HeldOut& held_out,
                 const std::vector<std::size_t>& candidates,
                 const std::function<bool(std::size_t)>& use, int num_threads)
      : family_(problem.family()), mixed_(held_out.mixed), num_threads_(num_threads) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < problem.num_rows(); ++i) {
      if (problem.rows[i] != 0 && use(i)) rows.push_back(i);
    }
    const auto n = static_cast<Eigen::Index>(rows.size());
    predicted_.resize(n, static_cast<Eigen::Index>(candidates.size()));
    outcome_.resize(n);
    weight_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      outcome_[i] = problem.outcome(rows[i]);
      weight_[i] = problem.weight(rows[i]);
    }
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      for (Eigen::Index i = 0; i < n; ++i)
        predicted_(i, c) = mixable(held_out.eta[candidates[c]][rows[i]], outcome_[i]);
    }
    total_ = weight_.sum();
    pull_ = held_out.pull.rows;
    towards_ = Eigen::ArrayXd::Ones(predicted_.cols());
    for (std::size_t c = 0; c < candidates.size() && !held_out.pull.towards.empty(); ++c)
      towards_[c] = held_out.pull.towards[candidates[c]];
    towards_ /= towards_.sum();
  }

  std::size_t size() const override { return predicted_.cols(); }

  // Returns the weights, which are the softmax of the free parameters x.
  Eigen::VectorXd weights(std::span<const double> x) const {
    const Eigen::Map<const Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
    const Eigen::VectorXd e = (v.array() - v.maxCoeff()).exp();
    return e / e.sum();
  }

  double evaluate(std::span<const double> x, std::span<double> gradient) override {
    const Eigen::VectorXd w = weights(x);
    const Eigen::Index num_chunks =
        std::max<Eigen::Index>(1, (predicted_.rows() - 1) / kChunkRows + 1);
    std::vector<double> losses(num_chunks);
    std::vector<Eigen::VectorXd> gradients(num_chunks);
    parallel_for(losses.size(), num_threads_, [&](std::size_t chunk) {
      const auto begin = static_cast<Eigen::Index>(chunk) * kChunkRows;
      const auto rows =
          predicted_.middleRows(begin, std::min(kChunkRows, predicted_.rows() - begin));
      Eigen::VectorXd slope = rows * w;
      losses[chunk] = replace_by_slope(begin, slope);
      gradients[chunk] = rows.transpose() * slope;
    });
    double loss = losses.front();
    Eigen::VectorXd by_weight = gradients.front();
    for (std::size_t chunk = 1; chunk < losses.size(); ++chunk) {
      loss += losses[chunk];
      by_weight += gradients[chunk];
    }
    const Eigen::ArrayXd log_ratio = (w.array() / towards_).max(1e-300).log();
    by_weight.array() += pull_ * (log_ratio + 1);
    const Eigen::VectorXd by_parameter = w.array() * (by_weight.array() - by_weight.dot(w));
    for (std::size_t c = 0; c < size(); ++c) gradient[c] = by_parameter[c] / total_;
    return (loss + pull_ * (w.array() * log_ratio).sum()) / total_;
  }

 private:
  // Returns what is averaged for a row: its linear predictor, or the probability of its outcome.
  double mixable(double eta, double outcome) const {
    if (mixed_ == Mixed::kPredictors) return eta;
    return 1 / (1 + std::exp(outcome > 0 ? -eta : eta));
  }

  // Returns the loss of the rows from `begin` on at the averages `mixed`, and overwrites `mixed`
  // with the derivatives of the loss.
  double replace_by_slope(Eigen::Index begin, Eigen::VectorXd& mixed) const {
    return mixed_ == Mixed::kPredictors ? slope_of_predictors(begin, mixed)
                                        : slope_of_probabilities(begin, mixed);
  }

  double slope_of_probabilities(Eigen::Index begin, Eigen::VectorXd& probability) const {
    double loss = 0;
    for (Eigen::Index i = 0; i < probability.size(); ++i) {
      const double floor = std::max(probability[i], std::numeric_limits<double>::min());
      loss -= weight_[begin + i] * std::log(floor);
      probability[i] = -weight_[begin + i] / floor;
    }
    return loss;
  }

  double slope_of_predictors(Eigen::Index begin, Eigen::VectorXd& eta) const {
    return with_formulas(family_, [&](auto formulas) {
      double loss = 0;
      for (Eigen::Index i = 0; i < eta.size(); ++i) {
        const auto row = formulas.at(eta[i], outcome_[begin + i]);
        loss += weight_[begin + i] * row.loss;
        eta[i] = weight_[begin + i] * row.slope;
      }
      return loss;
    });
  }

  // Rows are processed in chunks of this size, whatever the number of threads.
  static constexpr Eigen::Index kChunkRows = 16'384;

  OutputFamily family_;
  Mixed mixed_;
  int num_threads_;
  Eigen::MatrixXd predicted_;  // predicted_(row, c): what candidate c contributes (mixable)
  Eigen::ArrayXd outcome_, weight_;
  Eigen::ArrayXd towards_;
  double total_ = 0, pull_ = 0;
};

}  // namespace

std::vector<double> stack_weights(const Problem& problem, const HeldOut& held_out,
                                  const std::vector<std::size_t>& candidates,
                                  const std::function<bool(std::size_t row)>& use,
                                  int num_threads) {
  StackObjective objective(problem, held_out, candidates, use, num_threads);
  const std::vector<double> start(candidates.size(), 0.0);
  const Minimum minimum =
      minimize(objective, start,
               {.max_evaluations = 200, .gradient_tolerance = 1e-7, .value_tolerance = 1e-8});
  const Eigen::VectorXd weights = objective.weights(minimum.x);
  return {weights.begin(), weights.end()};
}

std::unique_ptr<Objective> stacking_objective(const Problem& problem, const HeldOut& held_out,
                                              const std::vector<std::size_t>& candidates,
                                              const std::function<bool(std::size_t row)>& use) {
  return std::make_unique<StackObjective>(problem, held_out, candidates, use, 1);
}

std::vector<double> stacked_predictors(const HeldOut& held_out,
                                       const std::vector<std::size_t>& candidates,
                                       std::span<const double> weights) {
  std::vector<double> eta(held_out.eta.front().size(), 0.0);
  if (held_out.mixed == Mixed::kProbabilities) {
    std::vector<double> of_row(candidates.size());
    for (std::size_t i = 0; i < eta.size(); ++i) {
      for (std::size_t c = 0; c < of_row.size(); ++c) of_row[c] = held_out.eta[candidates[c]][i];
      eta[i] = mixed_predictor(Mixed::kProbabilities, weights, of_row);
    }
    return eta;
  }
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (weights[c] == 0) continue;
    const std::vector<double>& candidate = held_out.eta[candidates[c]];
    for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += weights[c] * candidate[i];
  }
  return eta;
}

}  // namespace otss::internal
