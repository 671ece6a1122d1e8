// Samples the posterior of a mid-size log with the trajectories on the GPU and on the processor: how
// long two chains of 280 moves take, in alternation, and whether both follow the same trajectory.
//
//   bench_cuda_posterior [rows [threads [repeats]]]     100,000 rows, all cores and 5 if not given
#include "learn/posterior/posterior.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/threads.hpp"
#include "cuda/made_log.hpp"
#include "cuda/need_gpu.hpp"
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

// What a step takes, and what a trajectory takes beside its steps. All trajectories begin at the same
// theta, so the rows are read once per step.
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
             few - kFew * step);
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

// Samples with both in alternation, each time twice with the GPU: it may slow down while it has nothing
// to do.
void time_chains(const ChainRows& gpu, const ChainRows& cpu, const Start& start, int num_threads,
                 int num_repeats) {
  std::vector<double> on_gpu, again_on_gpu, on_cpu, ratios;
  const auto expected = sample(gpu, start, num_threads);
  bool same_bits = true;
  const auto seconds_on_gpu = [&] {
    std::vector<std::vector<double>> ends;
    const double seconds = seconds_of([&] { ends = sample(gpu, start, num_threads); });
    same_bits &= ends == expected;
    return seconds;
  };
  for (int i = 0; i < num_repeats; ++i) {
    on_gpu.push_back(seconds_on_gpu());
    again_on_gpu.push_back(seconds_on_gpu());
    on_cpu.push_back(seconds_of([&] { sample(cpu, start, num_threads); }));
    ratios.push_back(on_cpu.back() / again_on_gpu.back());
    fmt::print("GPU: {:.4f} s, again {:.4f} s; CPU with {} threads: {:.4f} s, {:.1f} times that\n",
               on_gpu.back(), again_on_gpu.back(), num_threads, on_cpu.back(), ratios.back());
  }
  fmt::print(
      "{} chains of {} moves, medians of {}: GPU {:.4f} s, again {:.4f} s; CPU {:.4f} s, "
      "{:.1f} times\n",
      kChains, kMoves, num_repeats, median(on_gpu), median(again_on_gpu), median(on_cpu),
      median(ratios));
  fmt::print("the same bits in all runs of the GPU: {}\n", same_bits ? "yes" : "NO");
}

void compare(std::size_t num_rows, int num_threads, int num_repeats) {
  const Problem problem = make_problem(num_rows, num_threads);
  const Start start = start_of(problem, num_threads);
  const int K = kLayout.num_experts;
  std::unique_ptr<const ChainRows> gpu;
  fmt::print("rows to the GPU: {:.4f} s\n",
             seconds_of([&] { gpu = make_chain_rows(Device::kCuda, problem, K, num_threads); }));
  const auto cpu = make_chain_rows(Device::kCpu, problem, K, num_threads);
  fmt::print("ends of one trajectory differ by {:.1e}\n", one_trajectory(*gpu, *cpu, start));
  time_steps(*gpu, start);
  time_chains(*gpu, *cpu, start, num_threads, num_repeats);
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
  need_gpu();
  compare(static_cast<std::size_t>(argc > 1 ? std::atof(argv[1]) : 1e5),
          argc > 2 ? std::atoi(argv[2]) : hardware_threads(),
          argc > 3 ? std::max(1, std::atoi(argv[3])) : 5);
}
