// Samples the posterior of a mid-size log with the trajectories on the GPU and on the processor: how
// long two chains of 280 moves take, and whether both follow the same trajectory.
//
//   bench_cuda_posterior [rows [threads]]     100,000 rows and all cores if not given
#include "learn/posterior/posterior.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <vector>

#include "base/threads.hpp"
#include "cuda/made_log.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/posterior/chain_rows.hpp"
#include "learn/posterior/hmc.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using namespace otss::bench;

constexpr int kMoves = 280, kBurnIn = 120, kChains = 2;

struct Start {
  std::vector<double> theta;
  LearnedPenalty prior;
  Eigen::MatrixXd hessian;
};

Start start_of(const Problem& problem, int num_threads) {
  Start start{fit_mixture(problem, Penalty{}, kLayout, true_theta(), {num_threads, false}).theta,
              LearnedPenalty::standard(kLayout),
              {}};
  start.hessian = curvature(problem, start.theta, kLayout, num_threads);
  start.prior.add_curvature(kLayout, start.theta, start.hessian);
  start.hessian.diagonal().array() += 1e-3;
  return start;
}

// Returns where the chains end.
std::vector<std::vector<double>> sample(const ChainRows& rows, const Start& start, int num_threads,
                                        std::size_t num_chains = kChains) {
  std::vector<std::vector<double>> ends(num_chains);
  parallel_for(num_chains, num_threads, [&](std::size_t c) {
    const auto leapfrog = rows.leapfrog(start.prior, start.hessian);
    HmcChain chain(start.theta, {});
    Rng rng(5, c);
    for (int move = 0; move < kMoves; ++move) {
      if (move == kBurnIn) chain.freeze();
      chain.move(*leapfrog, rng);
    }
    ends[c].assign(chain.position().begin(), chain.position().end());
    fmt::print("  chain {}: acceptance {:.3f}, value {:.3f}\n", c, chain.mean_acceptance(),
               chain.value());
  });
  return ends;
}

// What a step takes, and what a trajectory takes beside its steps.
void time_steps(const ChainRows& rows, const Start& start) {
  constexpr int kRepeats = 200, kFew = 4, kMany = 36;
  const auto leapfrog = rows.leapfrog(start.prior, start.hessian);
  const Eigen::VectorXd velocity =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(start.theta.size()), 0.1);
  const auto microseconds = [&](int num_steps) {
    const auto follow = [&] { leapfrog->follow(start.theta, velocity, 0.01, num_steps); };
    follow();
    return 1e6 / kRepeats * seconds_of([&] {
             for (int i = 0; i < kRepeats; ++i) follow();
           });
  };
  const double few = microseconds(kFew), many = microseconds(kMany);
  const double step = (many - few) / (kMany - kFew);
  fmt::print("one chain alone: a step takes {:.2f} us, a trajectory {:.2f} us more\n", step,
             few - (kFew + 1) * step);
}

double one_trajectory(const ChainRows& a, const ChainRows& b, const Start& start) {
  Rng rng(9);
  Eigen::VectorXd velocity(static_cast<Eigen::Index>(start.theta.size()));
  for (double& v : velocity) v = rng.normal();
  const auto follow = [&](const ChainRows& rows) {
    return rows.leapfrog(start.prior, start.hessian)->follow(start.theta, velocity, 0.2, 8);
  };
  const Trajectory ours = follow(a), theirs = follow(b);
  fmt::print("values at the end: {:.6f} and {:.6f}\n", ours.last_value, theirs.last_value);
  return (ours.theta - theirs.theta).norm() / theirs.theta.norm();
}

void compare(std::size_t num_rows, int num_threads) {
  const Problem problem = make_problem(num_rows, num_threads);
  const Start start = start_of(problem, num_threads);
  const int K = kLayout.num_experts;
  std::unique_ptr<const ChainRows> gpu;
  fmt::print("rows to the GPU: {:.4f} s\n",
             seconds_of([&] { gpu = make_chain_rows(Device::kCuda, problem, K, num_threads); }));
  const auto cpu = make_chain_rows(Device::kCpu, problem, K, num_threads);
  fmt::print("ends of one trajectory differ by {:.1e}\n", one_trajectory(*gpu, *cpu, start));
  time_steps(*gpu, start);
  std::vector<std::vector<double>> ends, again;
  sample(*gpu, start, num_threads);
  const double on_gpu = seconds_of([&] { ends = sample(*gpu, start, num_threads); });
  again = sample(*gpu, start, num_threads);
  fmt::print("GPU: {:.4f} s for {} chains of {} moves; the same bits again: {}\n", on_gpu, kChains,
             kMoves, ends == again ? "yes" : "NO");
  const double on_cpu = seconds_of([&] { sample(*cpu, start, num_threads); });
  fmt::print("CPU, {} threads: {:.4f} s, {:.1f} times the GPU\n", num_threads, on_cpu,
             on_cpu / on_gpu);
  const PooledFit pooled = fit_pooled(problem, num_threads);
  for (const Device device : {Device::kCuda, Device::kCpu}) {
    const SamplingOptions options{.num_threads = num_threads, .device = device};
    fmt::print("whole posterior, starts included, {}: {:.3f} s\n",
               device == Device::kCuda ? "GPU" : "CPU",
               seconds_of([&] { sample_posterior(problem, pooled, K, options); }));
  }
}

}  // namespace

int main(int argc, char** argv) {
  compare(static_cast<std::size_t>(argc > 1 ? std::atof(argv[1]) : 1e5),
          argc > 2 ? std::atoi(argv[2]) : hardware_threads());
}
