#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <algorithm>
#include <limits>

#include "base/cuda/pinned_array.hpp"
#include "base/cuda/stream.hpp"
#include "learn/posterior/cuda/prior_on_gpu.hpp"

namespace otss::internal::cuda {
namespace {

// Returns the entries of a symmetric matrix in paired rows.
DeviceArray<double> on_gpu(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd padded =
      Eigen::MatrixXd::Zero(paired(static_cast<int>(matrix.rows())), matrix.cols());
  padded.topRows(matrix.rows()) = matrix;
  return DeviceArray<double>(
      std::span<const double>(padded.data(), static_cast<std::size_t>(padded.size())));
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
        partial_(static_cast<std::size_t>(pass_.num_row_blocks()) * paired(pass_.size() + 1)),
        signals_(std::vector<ChainSignals>(1)),
        numbers_(pass_.state.count()),
        on_host_(pass_.state.count()) {
    pass_.inverse = inverse_.data();
    pass_.partial = partial_.data();
    pass_.signals = signals_.data();
    pass_.state.numbers = numbers_.data();
  }

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) override {
    ChainState host = pass_.state;
    host.numbers = on_host_.data();
    std::ranges::copy(theta, host.theta());
    Eigen::Map<Eigen::VectorXd>(host.speed(), host.size) =
        whitener_.transpose().triangularView<Eigen::Upper>() * velocity;
    tables_.prior.write_laws(prior_, host.laws());
    host.number(kStepSize) = step;
    host.number(kNotFinite) = 0;
    pass_.num_steps = num_steps;
    copy(numbers_.data(), on_host_.data(), cudaMemcpyHostToDevice);
    require(launch_leapfrog(pass_, stream_), "start a trajectory");
    copy(on_host_.data(), numbers_.data(), cudaMemcpyDeviceToHost);
    require(cudaStreamSynchronize(stream_), "finish a trajectory");
    return result(host, velocity);
  }

 private:
  void copy(double* to, const double* from, cudaMemcpyKind kind) {
    require(cudaMemcpyAsync(to, from, on_host_.size() * sizeof(double), kind, stream_),
            "copy a chain");
  }

  Trajectory result(const ChainState& host, const Eigen::VectorXd& velocity) const {
    const bool is_finite = host.number(kNotFinite) == 0;
    const Eigen::VectorXd change = whitener_.triangularView<Eigen::Lower>() *
                                   Eigen::Map<const Eigen::VectorXd>(host.impulse(), host.size);
    return {.theta = Eigen::Map<const Eigen::VectorXd>(host.theta(), host.size),
            .velocity = velocity - host.number(kStepSize) * change,
            .first_value = host.number(kFirstValue),
            .last_value =
                is_finite ? host.number(kLastValue) : std::numeric_limits<double>::infinity()};
  }

  const ChainTables& tables_;
  const LearnedPenalty& prior_;
  Eigen::MatrixXd whitener_;
  LeapfrogPass pass_;
  DeviceArray<double> inverse_, partial_;
  DeviceArray<ChainSignals> signals_;
  DeviceArray<double> numbers_;
  PinnedArray<double> on_host_;
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
LeapfrogPass pass_over(const MixtureLayout& layout, std::size_t num_tiles, int num_groups) {
  LeapfrogPass pass;
  pass.layout = layout;
  pass.num_tiles = static_cast<int>(num_tiles);
  pass.state.size = static_cast<int>(layout.size());
  pass.state.num_groups = pass.prior.num_groups = num_groups;
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
  const MixtureLayout layout = problem.layout(num_experts);
  const auto num_groups = static_cast<int>(LearnedPenalty().laws(layout).size());
  LeapfrogPass pass = pass_over(layout, problem.rows.num_tiles(), num_groups);
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
  tables.pass = pass_over(layout, num_tiles, tables.prior.num_groups());
  tables.pass.prior = tables.prior.table();
  tables.pass.features = tables.features.data();
  tables.pass.signed_weights = tables.signed_weights.data();
  divide_tiles(tables.pass, num_multiprocessors());
  return std::make_unique<GpuChainRows>(std::move(tables));
}

}  // namespace otss::internal::cuda
