// The contexts in which a mixture is compared with an average, and the objective that distilling
// minimises. Both call the kernel in isa/, which has most of the arithmetic.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "base/isa.hpp"
#include "learn/averaging/isa/distill_kernel.hpp"
#include "model/maps/cache_line.hpp"
#include "model/maps/mixture_layout.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

struct WeightedMixture {
  double weight;
  MixtureLayout layout;
  std::span<const double> theta;
};

// Contexts with their weights, packed for the kernel. A task of a thread is a fixed number of
// contexts, so that no result depends on the number of threads.
class DistillContexts {
 public:
  // Row i of `contexts` is [x, 1] of context i.
  DistillContexts(const Eigen::MatrixXd& contexts, const Eigen::VectorXd& weights, int num_threads,
                  Isa isa = active_isa());

  // Returns one row per context: the weighted sum of the mixtures' sum_k alpha_k(x) [beta_k, a_k].
  // All mixtures have the same factors.
  Eigen::MatrixXd summed_outputs(std::span<const WeightedMixture> mixtures) const;

  // Returns matrices with one row per context as blocks of columns, and back.
  CacheLines packed(const Eigen::MatrixXd& rows) const;
  Eigen::MatrixXd unpacked(const CacheLines& blocks, std::size_t num_columns) const;

  // Returns the sum of DistillKernel::objective over all contexts, and then the derivatives.
  std::vector<double> objective(const BlockMixture& mixture, const CacheLines& targets,
                                double entropy_price) const;

 private:
  std::size_t num_tasks() const;
  ContextBlocks blocks_of(std::size_t task) const;

  std::size_t num_contexts_;
  std::size_t num_columns_;
  std::size_t num_blocks_;
  CacheLines columns_, weights_;
  int num_threads_;
  const DistillKernel* kernel_;
};

// The objective of Distiller::objective() (distill.hpp), as a function of theta.
class DistillObjective final : public Objective {
 public:
  // `contexts` and `factor_moments`, the mean of [z, 1] [z, 1]', must live longer than the objective.
  // Row i of `target` is what sum_k alpha_k(x) [beta_k, a_k] should be in context i.
  DistillObjective(const DistillContexts& contexts, const Eigen::MatrixXd& factor_moments,
                   const Eigen::MatrixXd& target, const MixtureLayout& layout,
                   double entropy_price);

  std::size_t size() const override { return layout_.size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  const DistillContexts& contexts_;
  const Eigen::MatrixXd& factor_moments_;
  MixtureLayout layout_;
  double entropy_price_;
  // A matrix R with factor_moments_ = R R'. The squared difference of two linear predictors, averaged
  // over the factors, is then the squared length of a difference of [beta, a] times R.
  Eigen::MatrixXd root_;
  CacheLines target_;  // times root_
};

}  // namespace otss::internal
