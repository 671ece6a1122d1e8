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

}  // namespace

Distiller::Distiller(const Problem& problem, const std::vector<Member>& members, int num_threads)
    : num_contexts_(problem.num_contexts),
      num_threads_(num_threads),
      bounds_(problem.bounds.standardised) {
  const Problem small = problem.num_rows() > kContexts ? subsample(problem, kContexts) : problem;
  const MatrixXd contexts = with_ones(*small.features, 0, num_contexts_);
  const MatrixXd factors = with_ones(*small.features, num_contexts_, small.num_factors());
  weights_.resize(contexts.rows());
  for (Eigen::Index i = 0; i < weights_.size(); ++i)
    weights_[i] = small.weight(i) / small.rows.total();
  factor_moments_ = factors.transpose() * weights_.asDiagonal() * factors;
  decisions_ = spread_rows(factors, kDecisions);
  contexts_ = std::make_unique<DistillContexts>(contexts, weights_, num_threads);
  baseline_ = Eigen::VectorXd::Zero(num_contexts_ + 1);
  std::vector<WeightedMixture> mixtures;
  MatrixXd slopes = MatrixXd::Zero(num_contexts_, small.num_factors());
  for (const Member& member : members) {
    baseline_ +=
        member.weight * Eigen::Map<const Eigen::VectorXd>(
                            member.theta.data() + member.layout.baseline(), num_contexts_ + 1);
    mixtures.push_back({member.weight, member.layout, member.theta});
    if (member.slopes.size() > 0) slopes += member.weight * member.slopes;
  }
  target_ = contexts_->summed_outputs(mixtures);
  target_.leftCols(slopes.cols()) += contexts.leftCols(num_contexts_) * slopes;
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
  return std::make_unique<DistillObjective>(*contexts_, factor_moments_, target_, layout,
                                            entropy_price);
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
  const WeightedMixture reached{1, layout, minimum.x};
  result.loss = loss(contexts_->summed_outputs(std::span(&reached, 1)));
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
