// Loss and gradient of the mixture, compared with the roofline of this machine, which is measured
// in the same run.
//
//   loss_gradient [--write FILE]     also writes the problem for the peers: int32 n, p, J, K, then
//                                    f32 features (row by row), outcomes and theta
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/isa.hpp"
#include "base/random.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/cpu/reference_kernel.hpp"
#include "roofline.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr MixtureLayout kLayout{.num_contexts = 20, .num_factors = 10, .num_experts = 5};
constexpr int kColumns = kLayout.num_contexts + kLayout.num_factors;
constexpr std::size_t kRowsInCache = 8192;
constexpr std::size_t kRowsForPeers = 200'000;
constexpr std::size_t kRowsInMemory = 3'000'000;

struct Problem {
  TileMatrix features;
  std::vector<float> outcomes;
  std::vector<double> theta;
};

Problem make_problem(std::size_t num_rows) {
  Rng rng(7);
  Problem problem{TileMatrix(num_rows, kColumns), {}, {}};
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (int c = 0; c < kColumns; ++c) {
      problem.features.at(i, c) = static_cast<float>(rng.uniform(-1.7, 1.7));
    }
    problem.outcomes.push_back(rng.uniform() < 0.5 ? 0.0F : 1.0F);
  }
  for (std::size_t i = 0; i < kLayout.size(); ++i) problem.theta.push_back(0.3 * rng.normal());
  return problem;
}

// The largest difference between our gradient and that of the f64 reference kernel, relative to the
// largest entry.
double gradient_error(const Problem& problem, Precision precision) {
  const SignedWeights rows(problem.outcomes);
  std::vector<std::uint32_t> tiles(rows.num_tiles());
  std::iota(tiles.begin(), tiles.end(), 0U);
  const MixtureChunk all{
      problem.features.tile(0), rows.tile(0),        tiles.data(),       tiles.size(),
      kLayout.num_contexts,     kLayout.num_factors, kLayout.num_experts};
  std::vector<double> truth(kLayout.size()), ours(kLayout.size());
  reference_kernel(Precision::kDouble)(all, problem.theta.data(), truth.data(), nullptr);
  make_cpu_engine(problem.features, kLayout.num_contexts, rows, kLayout.num_experts, 1)
      ->evaluate(problem.theta, ours, precision);

  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    largest = std::max(largest, std::abs(truth[i]));
    difference = std::max(difference, std::abs(truth[i] - ours[i]));
  }
  return difference / largest;
}

bool verified(const Problem& problem) {
  const double single = gradient_error(problem, Precision::kSingle);
  const double twice = gradient_error(problem, Precision::kDouble);
  fmt::print("relative gradient error against the f64 reference kernel: f32 {:.1e}, f64 {:.1e}\n",
             single, twice);
  return single < 1e-5 && twice < 1e-12;
}

// One configuration on one problem, and the best time per row so far.
class Timing {
 public:
  Timing(const char* name, const Problem& problem, Precision precision, int num_threads)
      : name_(name),
        problem_(problem),
        precision_(precision),
        engine_(make_cpu_engine(problem.features, kLayout.num_contexts,
                                SignedWeights(problem.outcomes), kLayout.num_experts,
                                num_threads)) {}

  void measure() {
    std::vector<double> gradient(kLayout.size());
    const double seconds =
        bench::best_seconds([&] { engine_->evaluate(problem_.theta, gradient, precision_); });
    best_ = std::min(best_, seconds / static_cast<double>(problem_.features.num_rows()));
  }

  double seconds_per_row() const { return best_; }

  void print(double bound) const {
    fmt::print("{:<30}{:7.2f} ns/row   bound {:6.2f}   {:3.0f} %\n", name_, best_ * 1e9,
               bound * 1e9, 100 * bound / best_);
  }

 private:
  const char* name_;
  const Problem& problem_;
  Precision precision_;
  std::unique_ptr<Engine> engine_;
  double best_ = std::numeric_limits<double>::infinity();
};

// The lower bound on the time per row: the larger of reading time and computing time.
struct Bound {
  static constexpr int kBytes = 4 * (kColumns + 1);
  static constexpr int kFlops =
      4 * (kLayout.num_experts * kLayout.num_contexts + kLayout.num_experts * kLayout.num_factors);
  static constexpr int kExps = kLayout.num_experts + 1;

  double reading, multiplying, exponentials;

  explicit Bound(const bench::Roofline& roofline)
      : reading(kBytes / roofline.bytes_per_second),
        multiplying(kFlops / roofline.flops_per_second),
        exponentials(kExps * roofline.seconds_per_exp) {}

  double in_cache() const { return multiplying + exponentials; }
  double from_memory() const { return std::max(reading, in_cache()); }
};

void print(const bench::Roofline& roofline, const Bound& bound) {
  fmt::print("read bandwidth {:7.2f} GB/s      {:3} bytes/row {:6.2f} ns/row\n",
             roofline.bytes_per_second * 1e-9, Bound::kBytes, bound.reading * 1e9);
  fmt::print("f32 FMA peak   {:7.1f} GFLOP/s   {:3} flops/row {:6.2f} ns/row\n",
             roofline.flops_per_second * 1e-9, Bound::kFlops, bound.multiplying * 1e9);
  fmt::print("vector exp     {:7.3f} ns        {:3} exps/row  {:6.2f} ns/row\n",
             roofline.seconds_per_exp * 1e9, Bound::kExps, bound.exponentials * 1e9);
}

void write_for_peers(const char* path) {
  const Problem problem = make_problem(kRowsForPeers);
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](auto value) {
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const std::size_t number :
       {kRowsForPeers, std::size_t(kLayout.num_contexts), std::size_t(kLayout.num_factors),
        std::size_t(kLayout.num_experts)}) {
    put(static_cast<std::int32_t>(number));
  }
  for (std::size_t i = 0; i < kRowsForPeers; ++i) {
    for (int c = 0; c < kColumns; ++c) put(problem.features.at(i, c));
  }
  for (const float outcome : problem.outcomes) put(outcome);
  for (const double value : problem.theta) put(static_cast<float>(value));
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("loss + gradient, p=20 J=10 K=5, {}\n", isa_name(active_isa()));
  if (argc == 3 && std::strcmp(argv[1], "--write") == 0) write_for_peers(argv[2]);
  const Problem cached = make_problem(kRowsInCache);
  const Problem peers = make_problem(kRowsForPeers);
  const Problem large = make_problem(kRowsInMemory);
  if (!verified(cached)) return 1;

  bench::Roofline roofline;
  Timing cached_single("f32, in cache, 1 thread", cached, Precision::kSingle, 1);
  Timing cached_double("f64, in cache, 1 thread", cached, Precision::kDouble, 1);
  Timing single("f32, from memory, 1 thread", large, Precision::kSingle, 1);
  Timing single_two("f32, from memory, 2 threads", large, Precision::kSingle, 2);
  Timing twice("f64, from memory, 1 thread", large, Precision::kDouble, 1);
  Timing for_peers("f32, the peers' 200k rows", peers, Precision::kSingle, 1);
  for (int round = 0; round < 8; ++round) {
    roofline.measure();
    for (Timing* timing :
         {&cached_single, &cached_double, &single, &single_two, &twice, &for_peers}) {
      timing->measure();
    }
  }

  const Bound bound(roofline);
  print(roofline, bound);
  cached_single.print(bound.in_cache());
  cached_double.print(2 * bound.in_cache());
  single.print(bound.from_memory());
  single_two.print(bound.from_memory() / 2);
  twice.print(std::max(2 * bound.in_cache(), bound.reading));
  for_peers.print(bound.from_memory());
  fmt::print("two threads: {:.2f}x one\n", single.seconds_per_row() / single_two.seconds_per_row());
  return 0;
}
