#include "learn/posterior/chain_rows.hpp"

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
  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    // f32 is precise enough: acceptance depends on differences of about 1 in the summed loss, and
    // the rounding error is far smaller than 1.
    const double loss = engine_->evaluate(theta, gradient, Precision::kSingle);
    return loss + prior_.add(engine_->layout(), theta, gradient);
  }

 private:
  std::unique_ptr<Engine> engine_;
  const LearnedPenalty& prior_;
};

// A leapfrog that owns its objective.
class PosteriorLeapfrog final : public Leapfrog {
 public:
  PosteriorLeapfrog(std::unique_ptr<Engine> engine, const LearnedPenalty& prior,
                    const Eigen::MatrixXd& hessian)
      : objective_(std::move(engine), prior), leapfrog_(make_leapfrog(objective_, hessian)) {}

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) override {
    return leapfrog_->follow(theta, velocity, step, num_steps);
  }

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
