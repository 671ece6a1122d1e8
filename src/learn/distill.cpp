#include "learn/distill.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "optim/lbfgs.hpp"

namespace otss {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr std::size_t kContexts = 5000;  // enough to pin down a gate; more only costs time
constexpr double kGateRidge = 1e-5;      // keeps a gate that is not needed from wandering off

// Rows of [x, 1] with their shares of all weight, and the second moments of [z, 1] over the log.
struct Sample {
  Matrix contexts;
  Eigen::VectorXd weights;
  Matrix factor_moments;
};

Sample take_sample(const Problem& problem) {
  const Problem small = problem.num_rows() > kContexts ? subsample(problem, kContexts) : problem;
  const int p = small.num_contexts;
  const int num_factors = small.num_factors();
  Sample sample{Matrix::Ones(small.num_rows(), p + 1), Eigen::VectorXd(small.num_rows()), {}};
  Matrix factors = Matrix::Ones(small.num_rows(), num_factors + 1);
  for (std::size_t i = 0; i < small.num_rows(); ++i) {
    sample.weights[i] = small.weight(i) / small.rows.total();
    for (int j = 0; j < p; ++j) sample.contexts(i, j) = small.features->at(i, j);
    for (int j = 0; j < num_factors; ++j) factors(i, j) = small.features->at(i, p + j);
  }
  sample.factor_moments = factors.transpose() * sample.weights.asDiagonal() * factors;
  return sample;
}

Matrix softmax_rows(Matrix logits) {
  logits.colwise() -= logits.rowwise().maxCoeff().eval();
  logits = logits.array().exp();
  return logits.array().colwise() / logits.rowwise().sum().array();
}

// Views of theta's blocks as matrices: gate differences (K-1)×(p+1), experts K×(J+1).
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
Rows gate_of(const MixtureLayout& layout, std::span<const double> theta) {
  return {theta.data(), layout.num_experts - 1, layout.num_contexts + 1};
}
Rows experts_of(const MixtureLayout& layout, std::span<const double> theta) {
  return {theta.data() + layout.expert(0), layout.num_experts, layout.num_factors + 1};
}

Matrix shares(const MixtureLayout& layout, std::span<const double> theta, const Matrix& contexts) {
  Matrix logits = Matrix::Zero(contexts.rows(), layout.num_experts);
  if (layout.num_experts > 1) {
    logits.leftCols(layout.num_experts - 1) = contexts * gate_of(layout, theta).transpose();
  }
  return softmax_rows(std::move(logits));
}

class DistillObjective final : public Objective {
 public:
  DistillObjective(const Sample& sample, const Matrix& target, const MixtureLayout& layout)
      : sample_(sample), target_(target), layout_(layout) {}

  std::size_t size() const override { return layout_.size(); }

  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    const Matrix alpha = shares(layout_, theta, sample_.contexts);
    const Matrix experts = experts_of(layout_, theta);
    const Matrix error = alpha * experts - target_;
    const Matrix weighted = sample_.weights.asDiagonal() * (error * sample_.factor_moments);
    double value = 0.5 * error.cwiseProduct(weighted).sum();

    std::fill(gradient.begin(), gradient.end(), 0.0);
    const Matrix by_expert = alpha.transpose() * weighted;
    for (int k = 0; k < layout_.num_experts; ++k) {
      for (int j = 0; j <= layout_.num_factors; ++j)
        gradient[layout_.expert(k) + j] = by_expert(k, j);
    }
    const Matrix by_share = weighted * experts.transpose();
    const Eigen::VectorXd mean = alpha.cwiseProduct(by_share).rowwise().sum();
    const Matrix by_logit = alpha.cwiseProduct(by_share.colwise() - mean);
    const Matrix by_gate = by_logit.transpose() * sample_.contexts;
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
  const Sample& sample_;
  const Matrix& target_;
  MixtureLayout layout_;
};

double mean_square(const Matrix& difference, const Sample& sample) {
  return sample.weights.dot(
      difference.cwiseProduct(difference * sample.factor_moments).rowwise().sum());
}

}  // namespace

Distilled distill(const Problem& problem, const std::vector<Member>& members, int num_experts,
                  std::span<const double> start) {
  const Sample sample = take_sample(problem);
  const MixtureLayout layout = problem.layout(num_experts);
  Matrix target = Matrix::Zero(sample.contexts.rows(), layout.num_factors + 1);
  Eigen::VectorXd baseline = Eigen::VectorXd::Zero(layout.num_contexts + 1);
  for (const Member& member : members) {
    target += member.weight * shares(member.layout, member.theta, sample.contexts) *
              experts_of(member.layout, member.theta);
    baseline += member.weight *
                Eigen::Map<const Eigen::VectorXd>(member.theta.data() + member.layout.baseline(),
                                                  layout.num_contexts + 1);
  }
  DistillObjective objective(sample, target, layout);
  const Minimum minimum = minimize(objective, start,
                                   {.max_evaluations = 400,
                                    .gradient_tolerance = 1e-8,
                                    .value_tolerance = 1e-6,
                                    .box = problem.box(layout)});

  Distilled result{layout, minimum.x, 0};
  std::copy(baseline.begin(), baseline.end(), result.theta.begin() + layout.baseline());
  const Matrix reached = shares(layout, minimum.x, sample.contexts) *
                         experts_of(layout, std::span<const double>(minimum.x));
  const Matrix variation = target.rowwise() - sample.weights.transpose() * target;
  const double heterogeneity = mean_square(variation, sample);
  const double lost = mean_square(reached - target, sample);
  result.relative_error = heterogeneity > 0 ? lost / heterogeneity : 0;
  return result;
}

}  // namespace otss
