// An average of many mixtures as one mixture of K experts, so that w = sum_k alpha_k beta_k holds
// in what is deployed and a weight costs nanoseconds.
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

namespace otss {

struct Member {
  double weight = 0;  // over all members: 1 in total
  MixtureLayout layout;
  std::vector<double> theta;
  std::optional<Penalty> penalty = {};  // of a penalised fit; a draw has none
  std::size_t posterior = 0;            // of a draw: which one it is from
};

struct Distilled {
  MixtureLayout layout;
  std::vector<double> theta;
  DistillingLoss loss;
};

class Distiller {
 public:
  Distiller(const Problem& problem, const std::vector<Member>& members);

  // Fits gate, experts and expert intercepts to the average's weight map over the log's contexts,
  // in the metric of the log's factors and within the problem's bounds; the baseline, linear in the
  // context, is averaged as it is. Three or more experts can share the same work in many ways: the
  // one near `start` is kept, or one that uses few experts in a context preferred.
  enum class Sharing { kAsStarted, kFewExperts };
  Distilled into(int num_experts, std::span<const double> start,
                 Sharing sharing = Sharing::kFewExperts) const;

  // What into() minimises over theta: half the mean squared difference of the logits, a small ridge
  // on the gate, and entropy_price times the mean entropy of the shares. Looks at this distiller,
  // which must outlive it.
  std::unique_ptr<Objective> objective(const MixtureLayout& layout, double entropy_price) const;

 private:
  Distilled minimum(const MixtureLayout& layout, std::span<const double> start,
                    double entropy_price) const;
  double mean_square(const Eigen::MatrixXd& difference) const;  // of the logits
  DistillingLoss loss(const Eigen::MatrixXd& reached) const;

  int num_contexts_;
  Box bounds_;                      // of an expert's weights
  Eigen::MatrixXd contexts_;        // rows of [x, 1]
  Eigen::VectorXd weights_;         // each row's share of all weight
  Eigen::MatrixXd factor_moments_;  // second moments of [z, 1]
  Eigen::MatrixXd decisions_;       // rows of [z, 1]: some that were logged
  Eigen::MatrixXd target_;          // rows of [w, intercept]: the average at each context
  Eigen::VectorXd baseline_;
};

}  // namespace otss
