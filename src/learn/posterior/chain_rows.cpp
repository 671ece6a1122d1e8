#include "learn/posterior/chain_rows.hpp"

#include <algorithm>

#ifdef OTSS_HAS_CUDA
#include "learn/posterior/cuda/gpu_chain_rows.hpp"
#endif

namespace otss::internal {
namespace {

class PosteriorObjective final : public Objective {
 public:
  PosteriorObjective(std::unique_ptr<Engine> engine, const LearnedPenalty& prior)
      : engine_(std::move(engine)), prior_(prior) {}
  std::size_t size() const override { return engine_->layout().size(); }

  // A trajectory begins where the one before began or ended, so the rows need not be read again.
  void begin_trajectory(std::span<const double> theta) {
    if (!first_.is_at(theta)) first_ = last_.is_at(theta) ? last_ : evaluate_rows(theta);
  }

  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    if (!first_.is_at(theta)) last_ = evaluate_rows(theta);
    const RowSums& rows = first_.is_at(theta) ? first_ : last_;
    std::ranges::copy(rows.gradient, gradient.begin());
    return rows.loss + prior_.add(engine_->layout(), theta, gradient);
  }

 private:
  // The sums over the rows at a theta. The prior, which may change, has no part in them.
  struct RowSums {
    std::vector<double> theta, gradient;
    double loss = 0;
    bool is_at(std::span<const double> other) const { return std::ranges::equal(theta, other); }
  };

  RowSums evaluate_rows(std::span<const double> theta) {
    RowSums sums{{theta.begin(), theta.end()}, std::vector<double>(theta.size())};
    // f32 is precise enough: acceptance depends on differences of about 1 in the summed loss, and
    // the rounding error is far smaller than 1.
    sums.loss = engine_->evaluate(theta, sums.gradient, Precision::kSingle);
    return sums;
  }

  std::unique_ptr<Engine> engine_;
  const LearnedPenalty& prior_;
  RowSums first_, last_;  // of the trajectory: at its beginning, and where it was evaluated last
};

// A leapfrog that owns its objective.
class PosteriorLeapfrog final : public Leapfrog {
 public:
  PosteriorLeapfrog(std::unique_ptr<Engine> engine, const LearnedPenalty& prior,
                    const Eigen::MatrixXd& hessian)
      : objective_(std::move(engine), prior), leapfrog_(make_leapfrog(objective_, hessian)) {}

  void begin(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
             int num_steps) override {
    objective_.begin_trajectory(theta);
    leapfrog_->begin(theta, velocity, step, num_steps);
  }
  Trajectory end() override { return leapfrog_->end(); }

 private:
  PosteriorObjective objective_;
  std::unique_ptr<Leapfrog> leapfrog_;
};

class CpuChainRows final : public ChainRows {
 public:
  CpuChainRows(const Problem& problem, int num_experts, int num_threads)
      : problem_(problem), num_experts_(num_experts), num_threads_(num_threads) {}

  std::unique_ptr<Leapfrog> leapfrog(const LearnedPenalty& prior,
                                     const Eigen::MatrixXd& hessian) const override {
    return std::make_unique<PosteriorLeapfrog>(make_engine(problem_, num_experts_, num_threads_),
                                               prior, hessian);
  }

 private:
  const Problem& problem_;
  int num_experts_, num_threads_;
};

}  // namespace

std::unique_ptr<const ChainRows> make_chain_rows(Device device, const Problem& problem,
                                                 int num_experts, int num_threads) {
  require_device(device);
#ifdef OTSS_HAS_CUDA
  if (device == Device::kCuda && cuda::can_sample(problem, num_experts))
    return cuda::make_gpu_chain_rows(problem, num_experts);
#endif
  return std::make_unique<CpuChainRows>(problem, num_experts, num_threads);
}

}  // namespace otss::internal
