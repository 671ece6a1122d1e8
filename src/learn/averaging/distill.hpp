// Distilling replaces an average of many mixtures by one mixture of K experts with almost the same
// w(x). The deployed model then has the form w = sum_k alpha_k beta_k, and computing w takes
// nanoseconds.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"
#include "optim/objective.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

struct Member {
  double weight = 0;  // the weights of all members sum to 1
  MixtureLayout layout;
  std::vector<double> theta;
  std::optional<Penalty> penalty = {};  // set for a penalised fit, empty for a posterior draw
  std::size_t posterior = 0;            // for a draw: index of the posterior that it was drawn from
  // p×J: what x adds to the weights of a member that is linear in the context, beside the one
  // expert in `theta`; empty for a mixture.
  Eigen::MatrixXd slopes = {};
};

struct Distilled {
  MixtureLayout layout;
  std::vector<double> theta;
  DistillingLoss loss;
};

class Distiller {
 public:
  Distiller(const Problem& problem, const std::vector<Member>& members);

  // Returns a mixture whose gate, experts and expert intercepts are fitted to the average's w(x)
  // over the log's contexts, within the problem's bounds. Errors of w are measured by the second
  // moments of the log's factors. The baseline is linear in the context, so it is averaged exactly.
  // With three or more experts many mixtures give nearly the same w(x): kAsStarted returns the
  // mixture near `start`; kFewExperts prefers a mixture in which each context has large shares of
  // few experts only.
  enum class Sharing { kAsStarted, kFewExperts };
  Distilled into(int num_experts, std::span<const double> start,
                 Sharing sharing = Sharing::kFewExperts) const;

  // Returns the objective that into() minimises, a function of theta: half the mean squared
  // difference of the linear predictors, plus a small ridge on the gate, plus entropy_price times
  // the mean entropy of the shares and, if this price is positive, a small ridge on the experts'
  // differences from their centre. The objective refers to this distiller, which must live longer
  // than the objective.
  std::unique_ptr<Objective> objective(const MixtureLayout& layout, double entropy_price) const;

 private:
  Distilled minimum(const MixtureLayout& layout, std::span<const double> start,
                    double entropy_price) const;
  // Returns the mean square of a linear predictor. Its [w, intercept] in context i is row i of
  // `difference`.
  double mean_square(const Eigen::MatrixXd& difference) const;
  DistillingLoss loss(const Eigen::MatrixXd& reached) const;

  int num_contexts_;
  Box bounds_;                      // bounds on an expert's weights
  Eigen::MatrixXd contexts_;        // rows of [x, 1]
  Eigen::VectorXd weights_;         // row weights, summing to 1
  Eigen::MatrixXd factor_moments_;  // second moments of [z, 1]
  Eigen::MatrixXd decisions_;       // rows of [z, 1]: a sample of the logged decisions
  Eigen::MatrixXd target_;          // rows of [w, intercept]: the average's values at each context
  Eigen::VectorXd baseline_;
};

}  // namespace otss::internal
