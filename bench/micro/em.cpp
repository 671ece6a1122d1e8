// EM mixture regression without penalties, one start; bench/run --peers compares it with flexmix.
//
//   em [--log FOLDER]      also writes the log for the peer, and our numbers to FOLDER/otss_em.txt
#include <fmt/core.h>

#include <cstring>
#include <fstream>

#include "lab/worlds/simulation.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/problem/spectral_start.hpp"
#include "timing.hpp"

int main(int argc, char** argv) {
  using namespace otss;
  using namespace otss::internal;
  const char* folder = argc == 3 && std::strcmp(argv[1], "--log") == 0 ? argv[2] : nullptr;
  const Simulation simulation = simulate_overlap({.seed = 50});
  const LoggedData log = training_log(simulation);
  const Problem problem = whole_problem(log);
  const Penalty none{
      .gate = 1e-7, .gate_intercept = 1e-7, .expert = 1e-7, .center = 1e-7, .baseline = 1e-7};
  RoutedFit fit;
  const double seconds = bench::best_seconds(
      [&] {
        const PooledFit pooled = fit_pooled(problem, 1);
        const SpectralStart spectral(problem, pooled.fit.theta);
        fit = fit_routed(problem, {}, none, problem.layout(2), spectral.start(2),
                         {.tolerance = 1e-8});
      },
      1);
  fmt::print(
      "EM, n=5000 p=10 J=8 K=2, one thread: log-likelihood/row {:.6f}, {} passes, {:.1f} ms\n",
      -fit.objective, fit.evaluations, 1e3 * seconds);
  if (folder == nullptr) return 0;
  write_simulation(simulation, folder);
  std::ofstream(std::string(folder) + "/otss_em.txt")
      << fmt::format("{:.8f} {:.9f}\n", -fit.objective, seconds);
}
