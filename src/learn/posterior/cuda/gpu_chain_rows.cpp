#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <algorithm>
#include <limits>

#include "learn/posterior/cuda/prior_on_gpu.hpp"

namespace otss::internal::cuda {
namespace {

// Memory of the host that the GPU reads and writes directly.
class PinnedNumbers {
 public:
  explicit PinnedNumbers(std::size_t size) : size_(size) {
    require(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(double)),
            "share memory with the host");
  }
  ~PinnedNumbers() { cudaFreeHost(data_); }
  PinnedNumbers(const PinnedNumbers&) = delete;
  PinnedNumbers& operator=(const PinnedNumbers&) = delete;

  double* data() const { return data_; }
  std::size_t size_bytes() const { return size_ * sizeof(double); }

 private:
  double* data_ = nullptr;
  std::size_t size_;
};

class Stream {
 public:
  Stream() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "start a stream");
  }
  ~Stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Returns the entries of a matrix, row after row.
DeviceArray<double> on_gpu(const Eigen::MatrixXd& matrix) {
  const Eigen::MatrixXd transposed = matrix.transpose();  // Eigen stores columns
  return DeviceArray<double>(
      std::span<const double>(transposed.data(), static_cast<std::size_t>(transposed.size())));
}

// What the steps of all chains have in common.
struct ChainTables {
  MixtureLayout layout;
  DeviceArray<float> features, signed_weights;
  PriorOnGpu prior;
  LeapfrogStep step;  // without what belongs to a chain
};

class GpuLeapfrog final : public Leapfrog {
 public:
  GpuLeapfrog(const ChainTables& tables, const LearnedPenalty& prior,
              const Eigen::MatrixXd& hessian)
      : tables_(tables),
        prior_(prior),
        step_(tables.step),
        partial_(step_.num_blocks() * (tables.layout.size() + 1)),
        num_done_(std::vector<unsigned>{0}),
        numbers_(step_.state.count()),
        on_host_(step_.state.count()) {
    const Eigen::MatrixXd whitener = whitener_of(hessian);
    whitener_ = on_gpu(whitener);
    transposed_ = on_gpu(whitener.transpose());
    step_.whitener = whitener_.data();
    step_.transposed = transposed_.data();
    step_.partial = partial_.data();
    step_.num_done = num_done_.data();
    step_.state.numbers = numbers_.data();
  }

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) override {
    ChainState host = step_.state;
    host.numbers = on_host_.data();
    std::ranges::copy(theta, host.theta());
    std::ranges::copy(velocity, host.velocity());
    tables_.prior.write_laws(prior_, host.laws());
    host.number(kStepSize) = step;
    host.number(kNotFinite) = 0;
    copy(numbers_.data(), on_host_.data(), cudaMemcpyHostToDevice);
    for (int s = 0; s <= num_steps; ++s) {
      step_.kick = s == 0 || s == num_steps ? 0.5 : 1.0;
      step_.moves = s < num_steps;
      step_.value = s == 0 ? kFirstValue : kLastValue;
      require(launch_leapfrog(step_, stream_), "start a step of a chain");
    }
    copy(on_host_.data(), numbers_.data(), cudaMemcpyDeviceToHost);
    require(cudaStreamSynchronize(stream_), "finish a trajectory");
    return result(host);
  }

 private:
  void copy(double* to, const double* from, cudaMemcpyKind kind) {
    require(cudaMemcpyAsync(to, from, on_host_.size_bytes(), kind, stream_), "copy a chain");
  }

  static Trajectory result(const ChainState& host) {
    const bool is_finite = host.number(kNotFinite) == 0;
    return {.theta = Eigen::Map<const Eigen::VectorXd>(host.theta(), host.size),
            .velocity = Eigen::Map<const Eigen::VectorXd>(host.velocity(), host.size),
            .first_value = host.number(kFirstValue),
            .last_value =
                is_finite ? host.number(kLastValue) : std::numeric_limits<double>::infinity()};
  }

  const ChainTables& tables_;
  const LearnedPenalty& prior_;
  LeapfrogStep step_;
  DeviceArray<double> whitener_, transposed_, partial_;
  DeviceArray<unsigned> num_done_;
  DeviceArray<double> numbers_;
  PinnedNumbers on_host_;
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

// Returns a step over the rows of a problem, without pointers and without a chain.
LeapfrogStep step_of(const MixtureLayout& layout, std::size_t num_tiles, int num_groups) {
  LeapfrogStep step;
  step.layout = layout;
  step.num_tiles = static_cast<int>(num_tiles);
  step.state.size = static_cast<int>(layout.size());
  step.state.num_groups = step.prior.num_groups = num_groups;
  return step;
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
  LeapfrogStep step = step_of(layout, problem.rows.num_tiles(), num_groups);
  return divide_tiles(step, num_multiprocessors());
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
  tables.step = step_of(layout, num_tiles, tables.prior.num_groups());
  tables.step.prior = tables.prior.table();
  tables.step.features = tables.features.data();
  tables.step.signed_weights = tables.signed_weights.data();
  divide_tiles(tables.step, num_multiprocessors());
  return std::make_unique<GpuChainRows>(std::move(tables));
}

}  // namespace otss::internal::cuda
