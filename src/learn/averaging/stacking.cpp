#include "learn/averaging/stacking.hpp"

#include <Eigen/Core>
#include <cmath>

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
      : family_(problem.family()), num_threads_(num_threads) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < problem.num_rows(); ++i) {
      if (problem.rows[i] != 0 && use(i)) rows.push_back(i);
    }
    const auto n = static_cast<Eigen::Index>(rows.size());
    eta_.resize(n, static_cast<Eigen::Index>(candidates.size()));
    outcome_.resize(n);
    weight_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      outcome_[i] = problem.outcome(rows[i]);
      weight_[i] = problem.weight(rows[i]);
    }
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      for (Eigen::Index i = 0; i < n; ++i) eta_(i, c) = held_out.eta[candidates[c]][rows[i]];
    }
    total_ = weight_.sum();
    pull_ = held_out.pull.rows;
    towards_ = Eigen::ArrayXd::Ones(eta_.cols());
    for (std::size_t c = 0; c < candidates.size() && !held_out.pull.towards.empty(); ++c)
      towards_[c] = held_out.pull.towards[candidates[c]];
    towards_ /= towards_.sum();
  }

  std::size_t size() const override { return eta_.cols(); }

  // Returns the weights, which are the softmax of the free parameters x.
  Eigen::VectorXd weights(std::span<const double> x) const {
    const Eigen::Map<const Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
    const Eigen::VectorXd e = (v.array() - v.maxCoeff()).exp();
    return e / e.sum();
  }

  double evaluate(std::span<const double> x, std::span<double> gradient) override {
    const Eigen::VectorXd w = weights(x);
    const Eigen::Index num_chunks = std::max<Eigen::Index>(1, (eta_.rows() - 1) / kChunkRows + 1);
    std::vector<double> losses(num_chunks);
    std::vector<Eigen::VectorXd> gradients(num_chunks);
    parallel_for(losses.size(), num_threads_, [&](std::size_t chunk) {
      const auto begin = static_cast<Eigen::Index>(chunk) * kChunkRows;
      const auto eta = eta_.middleRows(begin, std::min(kChunkRows, eta_.rows() - begin));
      Eigen::VectorXd slope = eta * w;
      losses[chunk] = replace_by_slope(begin, slope);
      gradients[chunk] = eta.transpose() * slope;
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
  // Returns the loss of the rows from `begin` on at the linear predictors `eta`, and overwrites
  // `eta` with the derivatives of the loss.
  double replace_by_slope(Eigen::Index begin, Eigen::VectorXd& eta) const {
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
  int num_threads_;
  Eigen::MatrixXd eta_;  // eta_(row, c): linear predictor of candidate c
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
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const std::vector<double>& candidate = held_out.eta[candidates[c]];
    for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += weights[c] * candidate[i];
  }
  return eta;
}

}  // namespace otss::internal
