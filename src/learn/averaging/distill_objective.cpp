#include "learn/averaging/distill_objective.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using MatrixByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A task is 1,024 contexts: about 10 µs of work for five experts.
constexpr std::size_t kBlocksPerTask = 1024 / kContextsPerBlock;

// Strength of a ridge on the difference between each expert's linear predictor and that of the
// experts' centre. Without this ridge, an expert with a tiny share could have extreme weights:
// halving its share and doubling its weights hardly changes w(x). The ridge is used only in fits
// with a positive entropy price.
constexpr double kExpertRidge = 0.003;
constexpr double kGateRidge = 1e-5;  // keeps the gate parameters finite if w(x) is constant

const DistillKernel& distill_kernel(Isa isa) {
  return compiled_for(isa, baseline::kDistillKernel, avx2::kDistillKernel, avx512::kDistillKernel);
}

const double* numbers_of(const CacheLines& lines) { return lines.front().lanes; }

// Returns a matrix R with moments = R R'. Columns that are combinations of others give a diagonal
// entry of about 0, which rounding can make negative.
MatrixXd root_of(const MatrixXd& moments) {
  const Eigen::LDLT<MatrixXd> factors(moments);
  const MatrixXd lower = factors.matrixL();
  const Eigen::VectorXd scales = factors.vectorD().cwiseMax(0.0).cwiseSqrt();
  return factors.transpositionsP().transpose() * (lower * scales.asDiagonal());
}

}  // namespace

DistillContexts::DistillContexts(const MatrixXd& contexts, const Eigen::VectorXd& weights,
                                 int num_threads, Isa isa)
    : num_contexts_(contexts.rows()),
      num_columns_(contexts.cols()),
      num_blocks_((num_contexts_ + kContextsPerBlock - 1) / kContextsPerBlock),
      columns_(packed(contexts)),
      weights_(packed(weights)),
      num_threads_(num_threads),
      kernel_(&distill_kernel(isa)) {}

CacheLines DistillContexts::packed(const MatrixXd& rows) const {
  CacheLines lines(lines_for(num_blocks_ * kContextsPerBlock * rows.cols()));
  double* to = lines.front().lanes;
  for (std::size_t block = 0; block < num_blocks_; ++block) {
    const auto begin = static_cast<Index>(block * kContextsPerBlock);
    const Index count = std::min<Index>(kContextsPerBlock, rows.rows() - begin);
    for (Index j = 0; j < rows.cols(); ++j, to += kContextsPerBlock)
      std::copy_n(rows.col(j).data() + begin, count, to);
  }
  return lines;
}

MatrixXd DistillContexts::unpacked(const CacheLines& blocks, std::size_t num_columns) const {
  MatrixXd rows(num_contexts_, num_columns);
  const double* from = numbers_of(blocks);
  for (std::size_t block = 0; block < num_blocks_; ++block) {
    const auto begin = static_cast<Index>(block * kContextsPerBlock);
    const Index count = std::min<Index>(kContextsPerBlock, rows.rows() - begin);
    for (Index j = 0; j < rows.cols(); ++j, from += kContextsPerBlock)
      std::copy_n(from, count, rows.col(j).data() + begin);
  }
  return rows;
}

std::size_t DistillContexts::num_tasks() const {
  return (num_blocks_ + kBlocksPerTask - 1) / kBlocksPerTask;
}

ContextBlocks DistillContexts::blocks_of(std::size_t task) const {
  const std::size_t first = task * kBlocksPerTask;
  return {std::min(kBlocksPerTask, num_blocks_ - first), num_columns_,
          numbers_of(columns_) + first * num_columns_ * kContextsPerBlock,
          numbers_of(weights_) + first * kContextsPerBlock};
}

MatrixXd DistillContexts::summed_outputs(std::span<const WeightedMixture> mixtures) const {
  const std::size_t num_outputs = mixtures.front().layout.num_factors + 1;
  CacheLines sum(lines_for(num_blocks_ * kContextsPerBlock * num_outputs));
  parallel_for(num_tasks(), num_threads_, [&](std::size_t task) {
    double* const outputs =
        sum.front().lanes + task * kBlocksPerTask * kContextsPerBlock * num_outputs;
    for (const WeightedMixture& mixture : mixtures) {
      const std::size_t num_experts = mixture.layout.num_experts;
      kernel_->add_outputs(
          blocks_of(task),
          {num_experts, num_outputs, mixture.theta.data(),
           mixture.theta.data() + mixture.layout.expert(0)},
          mixture.weight, outputs,
          thread_scratch(distill_scratch_size(num_columns_, num_experts, num_outputs)));
    }
  });
  return unpacked(sum, num_outputs);
}

std::vector<double> DistillContexts::objective(const BlockMixture& mixture,
                                               const CacheLines& targets,
                                               double entropy_price) const {
  const std::size_t size =
      1 + (mixture.num_experts - 1) * num_columns_ + mixture.num_experts * mixture.num_outputs;
  std::vector<double> sums(num_tasks() * size);
  parallel_for(num_tasks(), num_threads_, [&](std::size_t task) {
    double* const own = &sums[task * size];
    *own = kernel_->objective(
        blocks_of(task), mixture,
        numbers_of(targets) + task * kBlocksPerTask * kContextsPerBlock * mixture.num_outputs,
        entropy_price, own + 1,
        thread_scratch(
            distill_scratch_size(num_columns_, mixture.num_experts, mixture.num_outputs)));
  });
  // The sums of the tasks are added in the order of the contexts, not in that of the threads.
  for (std::size_t i = size; i < sums.size(); ++i) sums[i % size] += sums[i];
  sums.resize(size);
  return sums;
}

DistillObjective::DistillObjective(const DistillContexts& contexts, const MatrixXd& factor_moments,
                                   const MatrixXd& target, const MixtureLayout& layout,
                                   double entropy_price)
    : contexts_(contexts),
      factor_moments_(factor_moments),
      layout_(layout),
      entropy_price_(entropy_price),
      root_(root_of(factor_moments)),
      target_(contexts.packed(target * root_)) {}

double DistillObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.0);
  if (!std::ranges::all_of(theta, [](double value) { return std::isfinite(value); }))
    return std::numeric_limits<double>::quiet_NaN();
  const Index num_outputs = layout_.num_factors + 1;
  const Eigen::Map<const MatrixByRow> experts(theta.data() + layout_.expert(0), layout_.num_experts,
                                              num_outputs);
  const MatrixByRow scaled = experts * root_;
  const std::vector<double> sums =
      contexts_.objective({static_cast<std::size_t>(layout_.num_experts),
                           static_cast<std::size_t>(num_outputs), theta.data(), scaled.data()},
                          target_, entropy_price_);
  double value = sums.front();
  const std::size_t gate_size = layout_.baseline();
  for (std::size_t i = 0; i < gate_size; ++i) {
    gradient[i] = sums[1 + i] + kGateRidge * theta[i];
    value += 0.5 * kGateRidge * theta[i] * theta[i];
  }
  const Eigen::Map<const MatrixByRow> by_scaled(&sums[1 + gate_size], layout_.num_experts,
                                                num_outputs);
  const MatrixXd from_center = experts.rowwise() - experts.colwise().mean();
  const MatrixXd pull = (entropy_price_ > 0 ? kExpertRidge : 0) * from_center * factor_moments_;
  value += 0.5 * pull.cwiseProduct(from_center).sum();
  Eigen::Map<MatrixByRow>(gradient.data() + layout_.expert(0), layout_.num_experts, num_outputs) =
      by_scaled * root_.transpose() + pull;
  return value;
}

}  // namespace otss::internal
