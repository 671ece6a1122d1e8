// Speed of the sampler: n=2000 p=20 J=8 K=5, two chains of 280 iterations on two threads; and of
// one chain with our kernel compared with a simple gradient written in Eigen.
#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "lab/worlds/simulation.hpp"
#include "learn/posterior/hmc.hpp"
#include "learn/posterior/posterior.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using Matrix = Eigen::MatrixXd;
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr int kExperts = 5;
constexpr int kIterations = 280;

// The simple gradient: matrix expressions over all rows at once, in double precision.
class EigenEngine final : public Engine {
 public:
  explicit EigenEngine(const Problem& problem)
      : layout_(problem.layout(kExperts)),
        contexts_(Matrix::Ones(problem.num_rows(), problem.num_contexts + 1)),
        factors_(Matrix::Ones(problem.num_rows(), problem.num_factors() + 1)),
        outcomes_(problem.num_rows()) {
    for (std::size_t i = 0; i < problem.num_rows(); ++i) {
      for (int j = 0; j < problem.num_contexts; ++j) contexts_(i, j) = problem.features->at(i, j);
      for (int j = 0; j < problem.num_factors(); ++j)
        factors_(i, j) = problem.features->at(i, problem.num_contexts + j);
      outcomes_[i] = problem.outcome(i);
    }
  }

  const MixtureLayout& layout() const override { return layout_; }
  double total_weight() const override { return static_cast<double>(outcomes_.size()); }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision) const override {
    const Rows gate(theta.data(), kExperts - 1, layout_.num_contexts + 1);
    const Rows experts(theta.data() + layout_.expert(0), kExperts, layout_.num_factors + 1);
    const Eigen::Map<const Eigen::VectorXd> baseline(theta.data() + layout_.baseline(),
                                                     layout_.num_contexts + 1);
    Matrix alpha = Matrix::Zero(contexts_.rows(), kExperts);
    alpha.leftCols(kExperts - 1).noalias() = contexts_ * gate.transpose();
    alpha.colwise() -= alpha.rowwise().maxCoeff().eval();
    alpha = alpha.array().exp();
    alpha.array().colwise() /= alpha.rowwise().sum().array().eval();
    const Matrix scores = factors_ * experts.transpose();
    const Eigen::ArrayXd mixed = alpha.cwiseProduct(scores).rowwise().sum();
    const Eigen::ArrayXd eta = mixed + (contexts_ * baseline).array();
    const Eigen::ArrayXd slope = 1 / (1 + (-eta).exp()) - outcomes_;
    const Eigen::ArrayXd softplus = eta.max(0) + (1 + (-eta.abs()).exp()).log();

    using Out = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    const Matrix by_score = alpha.array().colwise() * slope;
    Out(gradient.data() + layout_.expert(0), kExperts, layout_.num_factors + 1).noalias() =
        by_score.transpose() * factors_;
    Eigen::Map<Eigen::VectorXd>(gradient.data() + layout_.baseline(), layout_.num_contexts + 1)
        .noalias() = contexts_.transpose() * slope.matrix();
    const Matrix by_logit =
        by_score.cwiseProduct((scores.array().colwise() - mixed).matrix()).leftCols(kExperts - 1);
    Out(gradient.data(), kExperts - 1, layout_.num_contexts + 1).noalias() =
        by_logit.transpose() * contexts_;
    return (softplus - outcomes_ * eta).sum();
  }

 private:
  MixtureLayout layout_;
  Matrix contexts_, factors_;
  Eigen::ArrayXd outcomes_;
};

class PosteriorObjective final : public Objective {
 public:
  explicit PosteriorObjective(const Engine& engine)
      : engine_(engine), prior_(LearnedPenalty::standard(engine.layout())) {}
  std::size_t size() const override { return engine_.layout().size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    const double loss = engine_.evaluate(theta, gradient, Precision::kSingle);
    return loss + prior_.add(engine_.layout(), theta, gradient);
  }

 private:
  const Engine& engine_;
  LearnedPenalty prior_;
};

template <class Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Work>
double best_of(int times, Work work) {
  double best = seconds_of(work);
  for (int i = 1; i < times; ++i) best = std::min(best, seconds_of(work));
  return best;
}

double largest_difference(const Engine& a, const Engine& b, std::span<const double> theta) {
  std::vector<double> ga(theta.size());
  std::vector<double> gb(theta.size());
  a.evaluate(theta, ga, Precision::kDouble);
  b.evaluate(theta, gb, Precision::kDouble);
  double largest = 0;
  for (std::size_t i = 0; i < theta.size(); ++i)
    largest = std::max(largest, std::abs(ga[i] - gb[i]) / (1 + std::abs(ga[i])));
  return largest;
}

}  // namespace

int main() {
  const LoggedData log = training_log(simulate_matched({.n = 2000, .seed = 9000}));
  const Problem problem = whole_problem(log);
  const PooledFit pooled = fit_pooled(problem, 2);
  const SamplingOptions options{.num_threads = 2};
  Posterior posterior;
  const double whole =
      best_of(3, [&] { posterior = sample_posterior(problem, pooled, kExperts, options); });
  fmt::print(
      "posterior, n=2000 p=20 J=8 K=5, {} chains of {} iterations, starts included, 2 "
      "threads: {:.3f} s (bar: 1)\n",
      options.chains, options.burn_in + options.draws, whole);

  const auto kernel = make_engine(problem, kExperts, 1);
  const EigenEngine simple(problem);
  fmt::print("largest difference of the two engines' gradients: {:.1e}\n",
             largest_difference(*kernel, simple, posterior.mode));
  Eigen::MatrixXd hessian = curvature(problem, posterior.mode, posterior.layout, 1);
  LearnedPenalty::standard(posterior.layout)
      .add_curvature(posterior.layout, posterior.mode, hessian);
  hessian.diagonal().array() += 1e-3;
  const auto chain = [&](const Engine& engine) {
    return best_of(3, [&] {
      PosteriorObjective objective(engine);
      const auto leapfrog = make_leapfrog(objective, hessian);
      HmcChain hmc(posterior.mode, {});
      Rng rng(1);
      for (int i = 0; i < kIterations; ++i) {
        if (i == options.burn_in) hmc.freeze();
        hmc.move(*leapfrog, rng);
      }
    });
  };
  const double fast = chain(*kernel);
  const double slow = chain(simple);
  fmt::print(
      "one chain of {} iterations, one thread: {:.3f} s with the kernel, {:.3f} s with a simple "
      "Eigen gradient: {:.1f} x (bar: 3)\n",
      kIterations, fast, slow, slow / fast);
}
