#include "learn/probabilities/routed_objective.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/row_parts.hpp"

namespace otss::internal {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Linear predictors are limited to this absolute value. At this limit the probability is 0 or 1 in
// f64, and exp() is still finite.
constexpr double kLargestPredictor = 500;

template <class Values>
// Views the blocks of theta as matrices with one column per expert.
struct Parameters {
  Parameters(const MixtureLayout& layout, Values* theta)
      : gate(theta + layout.gate(0), layout.num_contexts + 1, layout.num_experts - 1),
        baseline(theta + layout.baseline(), layout.num_contexts + 1),
        experts(theta + layout.expert(0), layout.num_factors + 1, layout.num_experts) {}

  static constexpr bool kConst = std::is_const_v<Values>;
  Eigen::Map<std::conditional_t<kConst, const MatrixXd, MatrixXd>> gate;
  Eigen::Map<std::conditional_t<kConst, const VectorXd, VectorXd>> baseline;
  Eigen::Map<std::conditional_t<kConst, const MatrixXd, MatrixXd>> experts;
};

// Evaluates the model on the rows of one tile (block of rows). Rows of the tile that are not in the
// problem have weight 0.
class TilePass {
 public:
  TilePass(const Problem& problem, const MixtureLayout& layout, const Routing& routing)
      : problem_(problem),
        layout_(layout),
        routing_(routing),
        contexts(MatrixXd::Ones(kTileRows, layout.num_contexts + 1)),
        factors(MatrixXd::Ones(kTileRows, layout.num_factors + 1)),
        sign(kTileRows),
        weight(kTileRows),
        shares(kTileRows, layout.num_experts),
        likelihood(kTileRows, layout.num_experts),
        responsibility(kTileRows, layout.num_experts) {}

  void run(std::size_t tile, std::span<const double> theta) {
    load(tile);
    const Parameters<const double> at(layout_, theta.data());
    route(tile, at);
    predictor_ = (factors * at.experts).colwise() + contexts * at.baseline;
    // The computation has two steps, because Eigen does not vectorise exp() of an expression with a
    // broadcast sign.
    likelihood = predictor_.array().colwise() * -sign;
    likelihood = 1 / (1 + likelihood.min(kLargestPredictor).max(-kLargestPredictor).exp());
    if (routing_.kind == RoutingKind::kMixture) {
      responsibility = shares * likelihood;
      mixed_ = responsibility.rowwise().sum();
      responsibility.colwise() /= mixed_;
    } else {
      responsibility = shares;
    }
  }

  // Returns the weighted loss of the tile's rows, and writes the derivative of this loss with
  // respect to the gate scores to `gate_slope`.
  double loss(ArrayXXd& gate_slope) const {
    if (routing_.kind == RoutingKind::kMixture) {
      gate_slope = (shares - responsibility).colwise() * weight;
      return -(weight * mixed_.log()).sum();
    }
    gate_slope.setZero(shares.rows(), shares.cols());
    return -(weight * (shares * likelihood.log()).rowwise().sum()).sum();
  }

  // Returns the derivative of the weighted loss with respect to each expert's linear predictor.
  ArrayXXd expert_slope() const {
    return (responsibility * (1 - likelihood)).colwise() * (-weight * sign);
  }

  ArrayXXd expert_curvature() const {
    return (responsibility * likelihood * (1 - likelihood)).colwise() * weight;
  }

 private:
  void load(std::size_t tile) {
    using Tile = Eigen::Map<const Eigen::MatrixXf>;
    const int p = layout_.num_contexts;
    const Tile values(problem_.features->tile(tile), kTileRows, p + layout_.num_factors);
    contexts.leftCols(p) = values.leftCols(p).cast<double>();
    factors.leftCols(layout_.num_factors) = values.rightCols(layout_.num_factors).cast<double>();
    const Eigen::Map<const Eigen::ArrayXf> rows(problem_.rows.tile(tile), kTileRows);
    weight = rows.abs().cast<double>();
    sign = (rows > 0).select(ArrayXd::Ones(kTileRows), -ArrayXd::Ones(kTileRows));
  }

  void route(std::size_t tile, const Parameters<const double>& at) {
    shares.setZero();
    if (routing_.kind == RoutingKind::kFixed) {
      const std::size_t first = tile * kTileRows;
      const std::size_t count = std::min(kTileRows, problem_.num_rows() - first);
      for (std::size_t i = 0; i < count; ++i)
        shares(static_cast<Index>(i), routing_.expert_of_row[first + i]) = 1;
      return;
    }
    shares.leftCols(layout_.num_experts - 1) = (contexts * at.gate).array();
    shares.colwise() -= shares.rowwise().maxCoeff().eval();
    shares = shares.exp();
    shares.colwise() /= shares.rowwise().sum().eval();
  }

  const Problem& problem_;
  MixtureLayout layout_;
  const Routing& routing_;
  MatrixXd predictor_;
  ArrayXd mixed_;  // sum_k pi_k P_k(y)

 public:
  MatrixXd contexts, factors;  // [x, 1] and [z, 1]
  ArrayXd sign, weight;        // sign: +1 in rows with outcome 1, -1 in rows with outcome 0
  ArrayXXd shares;             // pi
  ArrayXXd likelihood;         // P_k(y)
  ArrayXXd responsibility;     // P(expert k | x, z, y)
};

struct Sums {
  double loss = 0;
  std::vector<double> gradient;
};

void add_gradient(const MixtureLayout& layout, const TilePass& pass, Sums& sums) {
  ArrayXXd gate_slope;
  sums.loss += pass.loss(gate_slope);
  const MatrixXd expert_slope = pass.expert_slope();
  Parameters<double> gradient(layout, sums.gradient.data());
  gradient.gate.noalias() +=
      pass.contexts.transpose() * gate_slope.leftCols(layout.num_experts - 1).matrix();
  gradient.baseline.noalias() += pass.contexts.transpose() * expert_slope.rowwise().sum();
  gradient.experts.noalias() += pass.factors.transpose() * expert_slope;
}

void add_expert_curvature(const MixtureLayout& layout, const TilePass& pass, MatrixXd& sum) {
  const Index p = layout.num_contexts + 1;
  const Index size = layout.num_factors + 1;
  const auto baseline = static_cast<Index>(layout.baseline());
  const ArrayXXd curvature = pass.expert_curvature();
  const VectorXd total = curvature.rowwise().sum();
  sum.block(baseline, baseline, p, p).noalias() +=
      pass.contexts.transpose() * (total.asDiagonal() * pass.contexts);
  for (int k = 0; k < layout.num_experts; ++k) {
    const auto expert = static_cast<Index>(layout.expert(k));
    const MatrixXd weighted = curvature.col(k).matrix().asDiagonal() * pass.factors;
    sum.block(expert, expert, size, size).noalias() += pass.factors.transpose() * weighted;
    sum.block(expert, baseline, size, p).noalias() += weighted.transpose() * pass.contexts;
  }
}

void add_gate_curvature(const MixtureLayout& layout, const TilePass& pass, MatrixXd& sum) {
  const Index p = layout.num_contexts + 1;
  for (int k = 0; k + 1 < layout.num_experts; ++k) {
    for (int l = 0; l <= k; ++l) {
      const ArrayXd covariance = k == l ? (pass.shares.col(k) * (1 - pass.shares.col(k))).eval()
                                        : (-pass.shares.col(k) * pass.shares.col(l)).eval();
      const MatrixXd weighted = (pass.weight * covariance).matrix().asDiagonal() * pass.contexts;
      sum.block(static_cast<Index>(layout.gate(k)), static_cast<Index>(layout.gate(l)), p, p)
          .noalias() += pass.contexts.transpose() * weighted;
    }
  }
}

// Divides the tiles into parts, and processes the parts in parallel. Evaluates the model on each
// tile and then calls visit(part, pass): `part` is the index of the part, and `pass` has the
// results of the tile.
template <class Visit>
void for_each_tile(const Problem& problem, const MixtureLayout& layout, const Routing& routing,
                   const std::vector<std::size_t>& tiles, std::span<const double> theta,
                   int num_threads, const Visit& visit) {
  const std::size_t num_parts = num_row_parts(problem.num_rows());
  parallel_for(num_parts, num_threads, [&](std::size_t part) {
    TilePass pass(problem, layout, routing);
    const std::size_t end = (part + 1) * tiles.size() / num_parts;
    for (std::size_t t = part * tiles.size() / num_parts; t < end; ++t) {
      pass.run(tiles[t], theta);
      visit(part, pass);
    }
  });
}

}  // namespace

RoutedObjective::RoutedObjective(const Problem& problem, const MixtureLayout& layout,
                                 const Routing& routing, const Penalty& penalty, int num_threads)
    : problem_(problem),
      layout_(layout),
      routing_(routing),
      penalty_(penalty),
      num_threads_(num_threads) {
  assert(routing.kind != RoutingKind::kFixed || routing.expert_of_row.size() == problem.num_rows());
  for (std::size_t tile = 0; tile < problem.rows.num_tiles(); ++tile) {
    if (!problem.rows.tile_is_empty(tile)) tiles_.push_back(tile);
  }
}

double RoutedObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  count_rows(tiles_.size() * kTileRows);
  std::vector<Sums> sums(num_row_parts(problem_.num_rows()),
                         {0, std::vector<double>(layout_.size(), 0.0)});
  for_each_tile(
      problem_, layout_, routing_, tiles_, theta, num_threads_,
      [&](std::size_t part, const TilePass& pass) { add_gradient(layout_, pass, sums[part]); });
  double value = 0;
  std::ranges::fill(gradient, 0.0);
  for (const Sums& part : sums) {
    value += part.loss;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += part.gradient[i];
  }
  value += penalty_.add(layout_, theta, gradient);
  const double scale = 1 / problem_.rows.total();
  for (double& entry : gradient) entry *= scale;
  return value * scale;
}

MatrixXd RoutedObjective::curvature(std::span<const double> theta) const {
  const auto size = static_cast<Index>(layout_.size());
  std::vector<MatrixXd> sums(num_row_parts(problem_.num_rows()), MatrixXd::Zero(size, size));
  for_each_tile(problem_, layout_, routing_, tiles_, theta, num_threads_,
                [&](std::size_t part, const TilePass& pass) {
                  add_expert_curvature(layout_, pass, sums[part]);
                  if (routing_.kind != RoutingKind::kFixed)
                    add_gate_curvature(layout_, pass, sums[part]);
                });
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  MatrixXd full = sums[0].selfadjointView<Eigen::Lower>();
  penalty_.add_curvature(layout_, full);
  return full / problem_.rows.total();
}

}  // namespace otss::internal
