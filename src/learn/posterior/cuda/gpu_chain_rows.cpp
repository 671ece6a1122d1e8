#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "learn/posterior/cuda/chain_places.hpp"
#include "learn/posterior/cuda/prior_on_gpu.hpp"

namespace otss::internal::cuda {
namespace {

// Returns the entries of a symmetric matrix, in rows that the kernel can read.
Eigen::MatrixXf in_rows_of_fours(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXf padded =
      Eigen::MatrixXf::Zero(in_fours(static_cast<int>(matrix.rows())), matrix.cols());
  padded.topRows(matrix.rows()) = matrix.cast<float>();
  return padded;
}

// What the trajectories of all chains have in common.
struct ChainTables {
  MixtureLayout layout;
  DeviceArray<float> features, signed_weights;
  PriorOnGpu prior;
  LeapfrogPass pass;  // without what belongs to a chain
};

// A kernel follows the trajectories that the host asks for, until it has waited for some time. It sees what
// the host writes, so a trajectory costs neither a start of a kernel nor a copy.
class GpuLeapfrog final : public Leapfrog {
 public:
  GpuLeapfrog(const ChainTables& tables, const LearnedPenalty& prior,
              const Eigen::MatrixXd& hessian)
      : tables_(tables),
        prior_(prior),
        whitener_(whitener_of(hessian)),
        pass_(tables.pass),
        place_(take_chain_place(bytes_on_card(), shared_bytes())) {
    PlaceDivider shared(place_->shared.data());
    pass_.state.numbers = shared.take<double>(pass_.state.count());
    pass_.mail = shared.take<ChainMail>(1);
    *pass_.mail = {0, 0, 0};
    PlaceDivider on_card(place_->on_card.data());
    pass_.theta = on_card.take<unsigned long long>(pass_.size());
    pass_.totals = on_card.take<unsigned long long>(pass_.size());
    pass_.losses = on_card.take<unsigned long long>(2 * pass_.num_row_blocks());
    const Eigen::MatrixXf inverse = in_rows_of_fours(whitener_.transpose() * whitener_);
    auto* const inverse_on_card = on_card.take<float>(inverse.size());
    pass_.inverse = inverse_on_card;
    require(cudaMemsetAsync(place_->on_card.data(), 0, bytes_of_sums(), place_->stream),
            "clear memory");
    require(cudaMemcpyAsync(inverse_on_card, inverse.data(), inverse.size() * sizeof(float),
                            cudaMemcpyHostToDevice, place_->stream),
            "take a copy of a matrix");
    // The copy reads `inverse`, which ends here.
    require(cudaStreamSynchronize(place_->stream), "prepare a chain");
  }

  void begin(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
             int num_steps) override {
    const ChainState& state = pass_.state;
    const auto beginning = std::ranges::equal(theta, first_)  ? ChainBeginning::kLastBeginning
                           : std::ranges::equal(theta, last_) ? ChainBeginning::kLastEnd
                                                              : ChainBeginning::kElsewhere;
    first_.assign(theta.begin(), theta.end());
    velocity_ = velocity;
    std::ranges::copy(theta, state.theta());
    Eigen::Map<Eigen::VectorXd>(state.speed(), state.size) =
        whitener_.transpose().triangularView<Eigen::Upper>() * velocity;
    tables_.prior.write_laws(prior_, state.laws());
    state.number(kStepSize) = step;
    state.number(kNumSteps) = num_steps;
    state.number(kBeginning) = static_cast<double>(beginning);
    read_by_gpu(pass_.mail->asked).store(++asked_, std::memory_order_release);
  }

  Trajectory end() override {
    wait_for_answer();
    const ChainState& state = pass_.state;
    pass_.steps_done = static_cast<unsigned>(state.number(kStepsDone));
    last_.assign(state.theta(), state.theta() + state.size);
    const Eigen::VectorXd change = whitener_.triangularView<Eigen::Lower>() *
                                   Eigen::Map<const Eigen::VectorXd>(state.impulse(), state.size);
    return {.theta = Eigen::Map<const Eigen::VectorXd>(last_.data(), state.size),
            .velocity = velocity_ - state.number(kStepSize) * change,
            .first_value = state.number(kFirstValue),
            .last_value = state.number(kLastValue)};
  }

 private:
  // `theta`, `totals` and `losses` of the pass, which begin as zeros.
  std::size_t bytes_of_sums() const {
    return 2 * PlaceDivider::bytes<unsigned long long>(pass_.size()) +
           PlaceDivider::bytes<unsigned long long>(2 * pass_.num_row_blocks());
  }
  std::size_t bytes_on_card() const {
    return bytes_of_sums() + PlaceDivider::bytes<float>(in_fours(pass_.size()) * pass_.size());
  }
  std::size_t shared_bytes() const {
    return PlaceDivider::bytes<double>(pass_.state.count()) + PlaceDivider::bytes<ChainMail>(1);
  }

  static std::atomic_ref<unsigned> read_by_gpu(unsigned& number) { return std::atomic_ref(number); }
  bool is_answered() const {
    return read_by_gpu(pass_.mail->answered).load(std::memory_order_acquire) == asked_;
  }

  void wait_for_answer() {
    constexpr unsigned kSpinsPerCheck = 1U << 16;
    for (unsigned spins = 1; !is_answered(); ++spins) {
      const bool no_kernel =
          read_by_gpu(pass_.mail->left).load(std::memory_order_acquire) == pass_.kernel;
      if (no_kernel && !is_answered()) {  // a kernel may have answered before it left
        start_kernel();
      } else if (spins % kSpinsPerCheck == 0) {
        const cudaError_t state = cudaStreamQuery(place_->stream);
        if (state != cudaErrorNotReady) require(state, "finish a trajectory");
      }
      _mm_pause();
    }
  }

  void start_kernel() {
    ++pass_.kernel;
    pass_.first_trajectory = asked_;
    require(launch_leapfrog(pass_, place_->stream), "start a trajectory");
  }

  const ChainTables& tables_;
  const LearnedPenalty& prior_;
  Eigen::MatrixXd whitener_;
  LeapfrogPass pass_;
  unsigned asked_ = 0;                // trajectories
  std::vector<double> first_, last_;  // where the last trajectory began and ended
  Eigen::VectorXd velocity_;          // of the last trajectory, at its beginning
  ChainPlaceInUse place_;
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
