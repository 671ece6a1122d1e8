#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/cuda/pinned_array.hpp"
#include "base/cuda/stream.hpp"
#include "learn/posterior/cuda/prior_on_gpu.hpp"

namespace otss::internal::cuda {
namespace {

// Returns the entries of a symmetric matrix, in rows that the kernel can read.
DeviceArray<float> on_gpu(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXf padded =
      Eigen::MatrixXf::Zero(in_fours(static_cast<int>(matrix.rows())), matrix.cols());
  padded.topRows(matrix.rows()) = matrix.cast<float>();
  return DeviceArray<float>(
      std::span<const float>(padded.data(), static_cast<std::size_t>(padded.size())));
}

// What the trajectories of all chains have in common.
struct ChainTables {
  MixtureLayout layout;
  DeviceArray<float> features, signed_weights;
  PriorOnGpu prior;
  LeapfrogPass pass;  // without what belongs to a chain
};

// A letter that the card reads, or writes, while the host does the other.
class PinnedLetter {
 public:
  explicit PinnedLetter(const ChainLetter& form) : count_(form.count), words_(2 * form.count) {
    std::fill_n(words_.data(), words_.size(), 0ULL);
  }

  unsigned long long* words() const { return words_.data(); }

  void write(int at, double number, unsigned trajectory) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const std::uint64_t tag = std::uint64_t{trajectory} << 32U;
    word(at).store(tag | (bits & 0xFFFFFFFFU), std::memory_order_relaxed);
    word(count_ + at).store(tag | bits >> 32U, std::memory_order_relaxed);
  }

  double read(int at) const {
    const std::uint64_t low = word(at).load(std::memory_order_relaxed);
    const std::uint64_t high = word(count_ + at).load(std::memory_order_relaxed);
    return std::bit_cast<double>(high << 32U | (low & 0xFFFFFFFFU));
  }

  // True if all words belong to the trajectory.
  bool is_complete(unsigned trajectory) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (word(i).load(std::memory_order_acquire) >> 32U != trajectory) return false;
    return true;
  }

 private:
  std::atomic_ref<unsigned long long> word(std::size_t at) const {
    return std::atomic_ref(words_.data()[at]);
  }

  int count_;
  PinnedArray<unsigned long long> words_;
};

// A kernel follows the trajectories that the host asks for, until it has waited for some time. Both read
// what the other writes, so a trajectory costs neither a start of a kernel nor a copy.
class GpuLeapfrog final : public Leapfrog {
 public:
  GpuLeapfrog(const ChainTables& tables, const LearnedPenalty& prior,
              const Eigen::MatrixXd& hessian)
      : tables_(tables),
        prior_(prior),
        whitener_(whitener_of(hessian)),
        pass_(tables.pass),
        inverse_(on_gpu(whitener_.transpose() * whitener_)),
        theta_(zeros(pass_.theta.num_copies * pass_.theta.stride)),
        totals_(zeros(pass_.totals.num_copies * pass_.totals.stride)),
        losses_(zeros(4 * pass_.num_row_blocks())),
        laws_(2 * static_cast<std::size_t>(pass_.begin.num_groups)),
        begin_(pass_.begin),
        end_(pass_.end),
        left_(1) {
    pass_.inverse = inverse_.data();
    pass_.theta.words = theta_.data();
    pass_.totals.words = totals_.data();
    pass_.losses = losses_.data();
    pass_.begin.words = begin_.words();
    pass_.end.words = end_.words();
    pass_.left = left_.data();
    *left_.data() = 0;
  }

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) override {
    ++trajectory_;
    write_beginning(theta, velocity, step, num_steps);
    wait_for_end();
    pass_.steps_done += static_cast<unsigned>(num_steps) + 1;
    return result(velocity, step);
  }

 private:
  static DeviceArray<unsigned long long> zeros(std::size_t count) {
    return DeviceArray<unsigned long long>(std::vector<unsigned long long>(count));
  }

  void write_beginning(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                       int num_steps) {
    const BeginLetter& letter = pass_.begin;
    const Eigen::VectorXd speed = whitener_.transpose().triangularView<Eigen::Upper>() * velocity;
    tables_.prior.write_laws(prior_, laws_.data());
    for (int i = 0; i < letter.size; ++i) {
      begin_.write(i, theta[i], trajectory_);
      begin_.write(letter.speed() + i, speed[i], trajectory_);
    }
    for (int i = 0; i < 2 * letter.num_groups; ++i)
      begin_.write(letter.laws() + i, laws_[i], trajectory_);
    begin_.write(letter.step_size(), step, trajectory_);
    begin_.write(letter.num_steps(), num_steps, trajectory_);
  }

  void wait_for_end() {
    constexpr unsigned kSpinsPerCheck = 1U << 16;
    for (unsigned spins = 1; !end_.is_complete(trajectory_); ++spins) {
      const unsigned left = std::atomic_ref(*left_.data()).load(std::memory_order_acquire);
      // A kernel may have written the end before it left.
      if (left == pass_.kernel && !end_.is_complete(trajectory_)) {
        start_kernel();
      } else if (spins % kSpinsPerCheck == 0) {
        const cudaError_t state = cudaStreamQuery(stream_);
        if (state != cudaErrorNotReady) require(state, "finish a trajectory");
      }
      _mm_pause();
    }
  }

  void start_kernel() {
    ++pass_.kernel;
    pass_.first_trajectory = trajectory_;
    require(launch_leapfrog(pass_, stream_), "start a trajectory");
  }

  Trajectory result(const Eigen::VectorXd& velocity, double step) const {
    const EndLetter& letter = pass_.end;
    Eigen::VectorXd theta(letter.size), impulse(letter.size);
    for (int i = 0; i < letter.size; ++i) {
      theta[i] = end_.read(i);
      impulse[i] = end_.read(letter.impulse() + i);
    }
    const Eigen::VectorXd change = whitener_.triangularView<Eigen::Lower>() * impulse;
    return {.theta = std::move(theta),
            .velocity = velocity - step * change,
            .first_value = end_.read(letter.first_value()),
            .last_value = end_.read(letter.last_value())};
  }

  const ChainTables& tables_;
  const LearnedPenalty& prior_;
  Eigen::MatrixXd whitener_;
  LeapfrogPass pass_;
  unsigned trajectory_ = 0;  // the last that was asked for
  DeviceArray<float> inverse_;
  DeviceArray<unsigned long long> theta_, totals_, losses_;
  std::vector<double> laws_;
  PinnedLetter begin_, end_;
  PinnedArray<unsigned> left_;
  Stream stream_;
};

class GpuChainRows final : public ChainRows {
 public:
  explicit GpuChainRows(ChainTables tables) : tables_(std::move(tables)) {}

  std::unique_ptr<Leapfrog> leapfrog(const LearnedPenalty& prior,
                                     const Eigen::MatrixXd& hessian) const override {
    return std::make_unique<GpuLeapfrog>(tables_, prior, hessian);
  }

 private:
  ChainTables tables_;
};

// Returns a pass over the rows of a problem, without pointers and without a chain.
LeapfrogPass pass_over(const MixtureLayout& layout, std::size_t num_tiles) {
  LeapfrogPass pass;
  pass.layout = layout;
  pass.num_tiles = static_cast<int>(num_tiles);
  pass.prior.num_columns = static_cast<int>(penalty_columns(layout).size());
  pass.prior.num_groups = static_cast<int>(LearnedPenalty().laws(layout).size());
  const auto size = static_cast<int>(layout.size());
  pass.begin = BeginLetter(size, pass.prior.num_groups);
  pass.end = EndLetter(size);
  int theta_copies = 1, total_copies = 1, apart = 1, words = 16;
  if (const char* text = std::getenv("OTSS_TRY"))
    std::sscanf(text, "%d,%d,%d,%d", &theta_copies, &total_copies, &apart, &words);
  const auto stride = [&](int count) { return (count + words - 1) / words * words + 16; };
  pass.theta = {nullptr, theta_copies, stride(size)};
  pass.totals = {nullptr, total_copies, apart, stride(size * apart)};
  return pass;
}

float largest_size(const TileMatrix& features) {
  const auto count = static_cast<Eigen::Index>(features.num_tiles() * features.tile_size());
  return Eigen::Map<const Eigen::ArrayXf>(features.tile(0), count).abs().maxCoeff();
}

// Returns the largest total weight of a thread block's rows.
double largest_block_weight(const SignedWeights& rows, std::size_t tiles_per_block) {
  double largest = 0, weight = 0;
  for (std::size_t tile = 0; tile < rows.num_tiles(); ++tile) {
    if (tile % tiles_per_block == 0) weight = 0;
    for (std::size_t row = 0; row < kTileRows; ++row) weight += std::abs(rows.tile(tile)[row]);
    largest = std::max(largest, weight);
  }
  return largest;
}

// Chooses the whole numbers in which thread blocks hand in their gradients.
void choose_wholes(const Problem& problem, LeapfrogPass& pass) {
  // An entry of a row's gradient is at most its weight, times a column, times by how much experts'
  // predictors differ. If they all differed by more than this, probabilities would be 0 or 1.
  constexpr double kMostDifference = 128;
  const double bound = kMostDifference * largest_block_weight(problem.rows, pass.tiles_per_block) *
                       std::max(1.0F, largest_size(*problem.features));
  pass.largest_whole = kLargestWholeSum / std::exp2(std::ceil(std::log2(pass.num_row_blocks())));
  pass.units_per_whole =
      std::exp2(std::ceil(std::log2(std::max(bound, 1e-200) / pass.largest_whole)));
  pass.wholes_per_unit = 1 / pass.units_per_whole;
}

int num_multiprocessors() {
  int count = 0;
  require(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "tell its size");
  return count;
}

}  // namespace

bool can_sample(const Problem& problem, int num_experts) {
  if (problem.family() != OutputFamily::kBernoulli || problem.offsets.tiles() != nullptr ||
      num_experts > kMostChainExperts)
    return false;
  LeapfrogPass pass = pass_over(problem.layout(num_experts), problem.rows.num_tiles());
  return divide_tiles(pass, num_multiprocessors());
}

std::unique_ptr<const ChainRows> make_gpu_chain_rows(const Problem& problem, int num_experts) {
  const MixtureLayout layout = problem.layout(num_experts);
  const std::size_t num_tiles = problem.rows.num_tiles();
  const TileMatrix& features = *problem.features;
  ChainTables tables{
      layout,
      DeviceArray<float>(std::span(features.tile(0), num_tiles * features.tile_size())),
      DeviceArray<float>(std::span(problem.rows.tile(0), num_tiles * kTileRows)),
      PriorOnGpu(layout),
      {}};
  tables.pass = pass_over(layout, num_tiles);
  tables.pass.prior = tables.prior.table();
  tables.pass.features = tables.features.data();
  tables.pass.signed_weights = tables.signed_weights.data();
  divide_tiles(tables.pass, num_multiprocessors());
  choose_wholes(problem, tables.pass);
  return std::make_unique<GpuChainRows>(std::move(tables));
}

}  // namespace otss::internal::cuda
