// Distilling replaces an average of many mixtures by one mixture of K experts with almost the same
// w(x). The deployed model then has the form w = sum_k alpha_k beta_k, and computing w takes
// nanoseconds.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/averaging/distill_objective.hpp"
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
  std::size_t setting = 0;              // for a penalised fit: index of its setting in Selection
  // The p×J matrix of slopes of a member whose weights are linear in the context:
  // w(x) = slopes'x + c, where c is the only expert in `theta`. Empty for a mixture.
  Eigen::MatrixXd slopes = {};
};

struct Distilled {
  MixtureLayout layout;
  std::vector<double> theta;
  DistillingLoss loss;
};

class Distiller {
 public:
  Distiller(const Problem& problem, const std::vector<Member>& members, int num_threads = 1);

  // Returns a mixture that approximates the average on the log's contexts, within the problem's
  // bounds. The shares, the experts beta_k and their intercepts a_k are fitted so that
  // sum_k alpha_k(x) [beta_k, a_k] is close to the same sum for the average. Differences are
  // measured by the second moments of the log's factors. The baseline's terms of eta, psi0 + psi'x,
  // are averaged exactly, because they are linear in the context.
  //
  // With three or more experts, many mixtures have nearly the same w(x). kAsStarted returns the
  // mixture near `start`. kFewExperts prefers a mixture in which few experts have large shares in
  // each context.
  enum class Sharing { kAsStarted, kFewExperts };
  Distilled into(int num_experts, std::span<const double> start,
                 Sharing sharing = Sharing::kFewExperts) const;

  // Returns the share of the log's contexts in which this average and another average of the same
  // log have different best decisions, among some of the logged decisions.
  double changed_decisions(const Distiller& other) const;

  // Returns the objective that into() minimises, as a function of theta. The objective is half the
  // mean squared difference of the linear predictors, plus a small ridge on the gate. If
  // entropy_price is positive, two terms are added: this price times the mean entropy of the
  // shares, and a small ridge on the experts' differences from their centre. The objective refers
  // to this distiller, which must live longer than the objective.
  std::unique_ptr<Objective> objective(const MixtureLayout& layout, double entropy_price) const;

 private:
  Distilled minimum(const MixtureLayout& layout, std::span<const double> start,
                    double entropy_price) const;
  // Returns the mean of (d(x)'[z, 1])^2 over all pairs of a logged context x and the factors z of a
  // logged decision. Row i of `difference` is d(x) in context i.
  double mean_square(const Eigen::MatrixXd& difference) const;
  DistillingLoss loss(const Eigen::MatrixXd& reached) const;
  // Returns the share of contexts in which `weights`, one row [w, a] per context, give another best
  // decision than the average.
  double changed_decisions(const Eigen::MatrixXd& weights) const;

  int num_contexts_;
  int num_threads_;
  Box bounds_;  // bounds on an expert's weights
  std::unique_ptr<const DistillContexts> contexts_;
  Eigen::VectorXd weights_;         // weight of each context; the sum is 1
  Eigen::MatrixXd factor_moments_;  // mean of [z, 1] [z, 1]' over the rows
  Eigen::MatrixXd decisions_;       // one row [z, 1] for each of some logged decisions
  // Row i is sum_k alpha_k(x) [beta_k, a_k] of the average in context i.
  Eigen::MatrixXd target_;
  Eigen::VectorXd baseline_;
};

}  // namespace otss::internal
