#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <algorithm>

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

class GpuLeapfrog final : public Leapfrog {
 public:
  GpuLeapfrog(const ChainTables& tables, const LearnedPenalty& prior,
              const Eigen::MatrixXd& hessian)
      : tables_(tables),
        prior_(prior),
        whitener_(whitener_of(hessian)),
        pass_(tables.pass),
        inverse_(on_gpu(whitener_.transpose() * whitener_)),
        theta_(pass_.size()),
        gradients_(static_cast<std::size_t>(pass_.num_row_blocks()) * in_fours(pass_.size())),
        losses_(pass_.num_row_blocks()),
        signals_(std::vector<ChainSignals>(1)),
        numbers_(pass_.state.count()) {
    pass_.inverse = inverse_.data();
    pass_.theta = theta_.data();
    pass_.gradients = gradients_.data();
    pass_.losses = losses_.data();
    pass_.signals = signals_.data();
    pass_.state.numbers = numbers_.data();
  }

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) override {
    const ChainState& state = pass_.state;
    std::ranges::copy(theta, state.theta());
    Eigen::Map<Eigen::VectorXd>(state.speed(), state.size) =
        whitener_.transpose().triangularView<Eigen::Upper>() * velocity;
    tables_.prior.write_laws(prior_, state.laws());
    state.number(kStepSize) = step;
    pass_.num_steps = num_steps;
    require(launch_leapfrog(pass_, stream_), "start a trajectory");
    require(cudaStreamSynchronize(stream_), "finish a trajectory");
    return result(velocity);
  }

 private:
  Trajectory result(const Eigen::VectorXd& velocity) const {
    const ChainState& state = pass_.state;
    const Eigen::VectorXd change = whitener_.triangularView<Eigen::Lower>() *
                                   Eigen::Map<const Eigen::VectorXd>(state.impulse(), state.size);
    return {.theta = Eigen::Map<const Eigen::VectorXd>(state.theta(), state.size),
            .velocity = velocity - state.number(kStepSize) * change,
            .first_value = state.number(kFirstValue),
            .last_value = state.number(kLastValue)};
  }

  const ChainTables& tables_;
  const LearnedPenalty& prior_;
  Eigen::MatrixXd whitener_;
  LeapfrogPass pass_;
  DeviceArray<float> inverse_;
  DeviceArray<double> theta_;
  DeviceArray<float> gradients_;
  DeviceArray<double> losses_;
  DeviceArray<ChainSignals> signals_;
  PinnedArray<double> numbers_;  // the card reads and writes it during a trajectory
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
  pass.state.size = static_cast<int>(layout.size());
  pass.prior.num_columns = static_cast<int>(penalty_columns(layout).size());
  pass.prior.num_groups = static_cast<int>(LearnedPenalty().laws(layout).size());
  pass.state.num_groups = pass.prior.num_groups;
  return pass;
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
  return std::make_unique<GpuChainRows>(std::move(tables));
}

}  // namespace otss::internal::cuda
