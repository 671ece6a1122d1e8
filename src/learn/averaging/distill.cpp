#include "learn/averaging/distill.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/threads.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

using Eigen::MatrixXd;

// The gate is fitted to at most this many contexts; more contexts would only cost time.
constexpr std::size_t kContexts = 5000;
// loss() measures in how many contexts distilling changes the best decision. The best decision is
// chosen among this many logged decisions.
constexpr Eigen::Index kDecisions = 100;
// The objective contains a price times the mean entropy of the shares, so that few experts have
// large shares in each context. These prices are multiplied by the variance of eta that
// heterogeneity explains. The fits use the prices in this order, and each fit starts from the
// result of the previous fit.
constexpr double kEntropyPrices[] = {0.005, 0.02};
// A fit with a positive entropy price may have a larger relative loss than the previous fit. It is
// accepted only if the increase is at most this.
constexpr double kTidyingLoss = 0.005;
constexpr int kDistillEvaluations = 400;
constexpr int kTidyingEvaluations = 150;
// Strength of a ridge on the difference between each expert's linear predictor and that of the
// experts' centre. Without this ridge, an expert with a tiny share could have extreme weights:
// halving its share and doubling its weights hardly changes w(x). The ridge is used only in fits
// with a positive entropy price.
constexpr double kExpertRidge = 0.003;
constexpr double kGateRidge = 1e-5;  // keeps the gate parameters finite if w(x) is constant

// Returns columns [first, first + count) of all rows, followed by a column of ones.
MatrixXd with_ones(const TileMatrix& features, int first, int count) {
  MatrixXd rows = MatrixXd::Ones(static_cast<Eigen::Index>(features.num_rows()), count + 1);
  for (std::size_t i = 0; i < features.num_rows(); ++i) {
    for (int j = 0; j < count; ++j) rows(i, j) = features.at(i, first + j);
  }
  return rows;
}

MatrixXd spread_rows(const MatrixXd& rows, Eigen::Index count) {
  const Eigen::Index taken = std::min(count, rows.rows());
  MatrixXd spread(taken, rows.cols());
  for (Eigen::Index i = 0; i < taken; ++i) spread.row(i) = rows.row(i * rows.rows() / taken);
  return spread;
}

MatrixXd softmax_rows(MatrixXd scores) {
  scores.colwise() -= scores.rowwise().maxCoeff().eval();
  scores = scores.array().exp();
  return scores.array().colwise() / scores.rowwise().sum().array();
}

// These functions return blocks of theta as matrices. The matrix of gate_of() has K-1 rows of p+1
// entries: the gate parameters of each expert except the last, minus those of the last. The matrix
// of experts_of() has K rows of J+1 entries.
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
Rows gate_of(const MixtureLayout& layout, std::span<const double> theta) {
  return {theta.data(), layout.num_experts - 1, layout.num_contexts + 1};
}
Rows experts_of(const MixtureLayout& layout, std::span<const double> theta) {
  return {theta.data() + layout.expert(0), layout.num_experts, layout.num_factors + 1};
}

MatrixXd shares(const MixtureLayout& layout, std::span<const double> theta,
                const Eigen::Ref<const MatrixXd>& contexts) {
  MatrixXd scores = MatrixXd::Zero(contexts.rows(), layout.num_experts);
  if (layout.num_experts > 1) {
    scores.leftCols(layout.num_experts - 1) = contexts * gate_of(layout, theta).transpose();
  }
  return softmax_rows(std::move(scores));
}

// Calls body(begin, count) for consecutive chunks of rows. Within a chunk, each row is computed from
// the same row of other matrices, so that no result depends on the chunks. Their size is a multiple
// of the widest vector registers: a row at the end of a chunk is then computed like the others.
void for_row_chunks(Eigen::Index rows, int num_threads,
                    const std::function<void(Eigen::Index begin, Eigen::Index count)>& body) {
  constexpr Eigen::Index kChunkRows = 640;
  parallel_for((rows + kChunkRows - 1) / kChunkRows, num_threads, [&](std::size_t chunk) {
    const auto begin = static_cast<Eigen::Index>(chunk) * kChunkRows;
    body(begin, std::min(kChunkRows, rows - begin));
  });
}

class DistillObjective final : public Objective {
 public:
  DistillObjective(const MatrixXd& contexts, const Eigen::VectorXd& weights,
                   const MatrixXd& factor_moments, const MatrixXd& target,
                   const MixtureLayout& layout, double entropy_price, int num_threads)
      : contexts_(contexts),
        weights_(weights),
        factor_moments_(factor_moments),
        target_(target),
        layout_(layout),
        entropy_price_(entropy_price),
        num_threads_(num_threads) {}

  std::size_t size() const override { return layout_.size(); }

  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    const MatrixXd experts = experts_of(layout_, theta);
    MatrixXd alpha(contexts_.rows(), layout_.num_experts), by_score(alpha.rows(), alpha.cols());
    MatrixXd error(target_.rows(), target_.cols()), weighted(error.rows(), error.cols());
    Eigen::VectorXd entropy = Eigen::VectorXd::Zero(alpha.rows());
    for_row_chunks(alpha.rows(), num_threads_, [&](Eigen::Index begin, Eigen::Index count) {
      const MatrixXd own = shares(layout_, theta, contexts_.middleRows(begin, count));
      const MatrixXd own_error = own * experts - target_.middleRows(begin, count);
      const auto own_weights = weights_.segment(begin, count);
      const MatrixXd own_weighted = own_weights.asDiagonal() * (own_error * factor_moments_);
      MatrixXd by_share = own_weighted * experts.transpose();
      if (entropy_price_ > 0)
        entropy.segment(begin, count) = add_entropy(own, own_weights, by_share);
      const Eigen::VectorXd mean = own.cwiseProduct(by_share).rowwise().sum();
      by_score.middleRows(begin, count) = own.cwiseProduct(by_share.colwise() - mean);
      alpha.middleRows(begin, count) = own;
      error.middleRows(begin, count) = own_error;
      weighted.middleRows(begin, count) = own_weighted;
    });
    double value = 0;
    MatrixXd by_expert, by_gate;
    parallel_for(3, num_threads_, [&](std::size_t task) {
      if (task == 0) by_expert = alpha.transpose() * weighted;
      if (task == 1) by_gate = by_score.transpose() * contexts_;
      if (task == 2) value = 0.5 * error.cwiseProduct(weighted).sum();
    });

    std::fill(gradient.begin(), gradient.end(), 0.0);
    const MatrixXd from_center = experts.rowwise() - experts.colwise().mean();
    const MatrixXd pull = (entropy_price_ > 0 ? kExpertRidge : 0) * from_center * factor_moments_;
    value += 0.5 * pull.cwiseProduct(from_center).sum();
    by_expert += pull;
    for (int k = 0; k < layout_.num_experts; ++k) {
      for (int j = 0; j <= layout_.num_factors; ++j)
        gradient[layout_.expert(k) + j] = by_expert(k, j);
    }
    if (entropy_price_ > 0) value += -entropy_price_ * weights_.dot(entropy);
    for (int k = 0; k + 1 < layout_.num_experts; ++k) {
      for (int j = 0; j <= layout_.num_contexts; ++j) {
        const std::size_t i = layout_.gate(k) + j;
        gradient[i] = by_gate(k, j) + kGateRidge * theta[i];
        value += 0.5 * kGateRidge * theta[i] * theta[i];
      }
    }
    return value;
  }

 private:
  // Returns minus the entropy of the shares `alpha` in each context. The objective contains
  // entropy_price_ times the mean entropy. Adds the derivative of this term with respect to `alpha`
  // to `by_share`. Terms of the derivative that are equal for all shares of one context are omitted.
  // They have no effect on the derivative with respect to the gate scores.
  Eigen::VectorXd add_entropy(const MatrixXd& alpha,
                              const Eigen::Ref<const Eigen::VectorXd>& weights,
                              MatrixXd& by_share) const {
    constexpr double kLeastShare = 1e-300;  // so that 0 log 0 evaluates to 0
    const MatrixXd logs = alpha.cwiseMax(kLeastShare).array().log();
    by_share -= entropy_price_ * weights.asDiagonal() * logs;
    return alpha.cwiseProduct(logs).rowwise().sum();
  }

  const MatrixXd& contexts_;
  const Eigen::VectorXd& weights_;
  const MatrixXd& factor_moments_;
  const MatrixXd& target_;
  MixtureLayout layout_;
  double entropy_price_;
  int num_threads_;
};

}  // namespace

Distiller::Distiller(const Problem& problem, const std::vector<Member>& members, int num_threads)
    : num_contexts_(problem.num_contexts),
      num_threads_(num_threads),
      bounds_(problem.bounds.standardised) {
  const Problem small = problem.num_rows() > kContexts ? subsample(problem, kContexts) : problem;
  contexts_ = with_ones(*small.features, 0, num_contexts_);
  const MatrixXd factors = with_ones(*small.features, num_contexts_, small.num_factors());
  weights_.resize(contexts_.rows());
  for (Eigen::Index i = 0; i < weights_.size(); ++i)
    weights_[i] = small.weight(i) / small.rows.total();
  factor_moments_ = factors.transpose() * weights_.asDiagonal() * factors;
  decisions_ = spread_rows(factors, kDecisions);
  target_ = MatrixXd::Zero(contexts_.rows(), factors.cols());
  baseline_ = Eigen::VectorXd::Zero(num_contexts_ + 1);
  for (const Member& member : members) {
    baseline_ +=
        member.weight * Eigen::Map<const Eigen::VectorXd>(
                            member.theta.data() + member.layout.baseline(), num_contexts_ + 1);
  }
  for_row_chunks(contexts_.rows(), num_threads, [&](Eigen::Index begin, Eigen::Index count) {
    add_to_target(members, begin, count);
  });
}

void Distiller::add_to_target(const std::vector<Member>& members, Eigen::Index begin,
                              Eigen::Index count) {
  const MatrixXd contexts = contexts_.middleRows(begin, count);
  MatrixXd sum = MatrixXd::Zero(count, target_.cols());
  for (const Member& member : members) {
    sum += member.weight * shares(member.layout, member.theta, contexts) *
           experts_of(member.layout, member.theta);
    if (member.slopes.size() > 0) {
      sum.leftCols(member.slopes.cols()) +=
          member.weight * contexts.leftCols(num_contexts_) * member.slopes;
    }
  }
  target_.middleRows(begin, count) = sum;
}

double Distiller::mean_square(const MatrixXd& difference) const {
  return weights_.dot(difference.cwiseProduct(difference * factor_moments_).rowwise().sum());
}

double Distiller::changed_decisions(const MatrixXd& weights) const {
  std::vector<std::uint8_t> changes(target_.rows(), 0);
  for_row_chunks(target_.rows(), num_threads_, [&](Eigen::Index begin, Eigen::Index count) {
    const MatrixXd before = target_.middleRows(begin, count) * decisions_.transpose();
    const MatrixXd after = weights.middleRows(begin, count) * decisions_.transpose();
    for (Eigen::Index i = 0; i < count; ++i) {
      Eigen::Index best_before = 0;
      Eigen::Index best_after = 0;
      before.row(i).maxCoeff(&best_before);
      after.row(i).maxCoeff(&best_after);
      // Decisions are compared by their factors, not by their row numbers, because one decision may
      // have been logged in several rows.
      changes[begin + i] = decisions_.row(best_before) != decisions_.row(best_after) ? 1 : 0;
    }
  });
  double changed = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i] != 0) changed += weights_[static_cast<Eigen::Index>(i)];
  }
  return changed;
}

double Distiller::changed_decisions(const Distiller& other) const {
  return changed_decisions(other.target_);
}

DistillingLoss Distiller::loss(const MatrixXd& reached) const {
  const MatrixXd variation = target_.rowwise() - weights_.transpose() * target_;
  const double heterogeneity = mean_square(variation);
  const double lost = mean_square(reached - target_);
  return {heterogeneity > 0 ? lost / heterogeneity : 0, std::sqrt(lost),
          changed_decisions(reached)};
}

std::unique_ptr<Objective> Distiller::objective(const MixtureLayout& layout,
                                                double entropy_price) const {
  return std::make_unique<DistillObjective>(contexts_, weights_, factor_moments_, target_, layout,
                                            entropy_price, num_threads_);
}

Distilled Distiller::minimum(const MixtureLayout& layout, std::span<const double> start,
                             double entropy_price) const {
  const Minimum minimum =
      minimize(*objective(layout, entropy_price), start,
               {.max_evaluations = entropy_price > 0 ? kTidyingEvaluations : kDistillEvaluations,
                .gradient_tolerance = 1e-8,
                .value_tolerance = 1e-6,
                .box = expert_box(bounds_, layout)});
  Distilled result{layout, minimum.x, {}};
  std::copy(baseline_.begin(), baseline_.end(), result.theta.begin() + layout.baseline());
  result.loss = loss(shares(layout, minimum.x, contexts_) *
                     experts_of(layout, std::span<const double>(minimum.x)));
  return result;
}

Distilled Distiller::into(int num_experts, std::span<const double> start, Sharing sharing) const {
  const MixtureLayout layout{num_contexts_, static_cast<int>(target_.cols()) - 1, num_experts};
  Distilled result = minimum(layout, start, 0);
  if (num_experts <= 2 || sharing == Sharing::kAsStarted) return result;
  const double heterogeneity = mean_square(target_.rowwise() - weights_.transpose() * target_);
  for (const double price : kEntropyPrices) {
    Distilled tidier = minimum(layout, result.theta, price * heterogeneity);
    if (tidier.loss.relative > result.loss.relative + kTidyingLoss) break;
    result = std::move(tidier);
  }
  return result;
}

}  // namespace otss::internal
