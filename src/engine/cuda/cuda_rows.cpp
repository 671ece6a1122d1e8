#include "engine/cuda/cuda_rows.hpp"

#include <future>

#include "base/cuda/gpu.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "engine/cuda/gauss_newton_sums.hpp"
#include "engine/cuda/half/half_sample.hpp"
#include "engine/half/corrected_engine.hpp"
#include "engine/row_chunks.hpp"

namespace otss::internal {
namespace {

class CudaRows final : public Rows {
 public:
  CudaRows(const LoggedData& log, Storage storage, int num_threads)
      : log_(log),
        storage_(storage),
        num_threads_(num_threads),
        on_host_(make_cpu_rows(log, num_threads)) {}
  ~CudaRows() override {
    const StageTimer timer(Stage::kGpu);
    engine_.reset();
    sample_.reset();
    copy_ = {};  // waits for a copy that nobody asked for
  }
  CudaRows(const CudaRows&) = delete;
  CudaRows& operator=(const CudaRows&) = delete;

  const RowsFacts& facts() const override { return on_host_->facts(); }

  void aim(const SumTarget& target) override {
    cuda::use_gpu();
    target_ = target;
    host_is_aimed_ = false;
    engine_.reset();
    copy_ = {};  // waits for an earlier copy
    if (storage_ == Storage::kHalf)
      sample_ = std::make_unique<cuda::HalfSample>(on_host_->take(sampled_rows(log_.num_rows())),
                                                   target, num_threads_);
    copy_ = std::async(std::launch::async, [this] { return copied(); }).share();
  }

  std::vector<double> sum(const SumRequest& request) const override {
    cuda::use_gpu();
    switch (request.what) {
      case RowSum::kLossAndGradient: return loss_and_gradient(request);
      case RowSum::kGaussNewton:
        if (request.mixed == Mixed::kPredictors && cuda::can_sum_gauss_newton(request.theta.size()))
          return cuda::sum_gauss_newton(*on_gpu(), request.layout, request.theta);
        break;
      case RowSum::kPearson: break;
    }
    return aimed_host().sum(request);
  }

  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    return aimed_host().group_scores(at);
  }
  LoggedData take(std::span<const std::size_t> rows) const override { return on_host_->take(rows); }
  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    return on_host_->counting_rows(positions);
  }
  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    return on_host_->samples(options);
  }

 private:
  // Copies the rows to the GPU.
  std::shared_ptr<const cuda::GpuLog> copied() {
    cuda::use_gpu();
    int num_contexts = log_.num_contexts();
    if (target_.quadratic) {
      expanded_ = quadratic_tiles(log_.features(), num_contexts);
      num_contexts = expanded_.num_columns() - log_.num_factors();
    }
    return cuda::copy_to_gpu(target_.quadratic ? expanded_ : log_.features(), storage_,
                             num_contexts,
                             cuda::weights_to_copy(log_, target_.family, facts().total_weight),
                             Outcomes(target_.family, log_.outcomes(), target_.units), {},
                             cuda::bytes_for_tiles(), num_threads_);
  }

  std::vector<double> loss_and_gradient(const SumRequest& request) const {
    const int experts = request.layout.num_experts;
    if (engine_ == nullptr || engine_->layout().num_experts != experts) {
      engine_ = make_cuda_engine(on_gpu(), experts);
      if (sample_) engine_ = sample_->corrected(std::move(engine_), experts);
    }
    std::vector<double> sums(request.size());
    sums.front() = engine_->evaluate(request.theta, std::span(sums).subspan(1), request.precision);
    return sums;
  }

  std::shared_ptr<const cuda::GpuLog> on_gpu() const {
    const StageTimer timer(Stage::kCopy);
    return copy_.get();
  }

  // Most fits need none of the sums that the host computes.
  const Rows& aimed_host() const {
    if (!host_is_aimed_) on_host_->aim(target_);
    host_is_aimed_ = true;
    return *on_host_;
  }

  const LoggedData& log_;
  Storage storage_;
  int num_threads_;
  SumTarget target_;
  std::unique_ptr<Rows> on_host_;
  mutable bool host_is_aimed_ = false;
  TileMatrix expanded_;                             // with a quadratic gate
  std::unique_ptr<const cuda::HalfSample> sample_;  // with rows in f16
  // The copy runs while the caller works on a sample of the rows.
  std::shared_future<std::shared_ptr<const cuda::GpuLog>> copy_;
  // The engine of the last request. The passes of a fit all have the same number of experts.
  mutable std::unique_ptr<Engine> engine_;
};

}  // namespace

std::unique_ptr<Rows> make_cuda_rows(const LoggedData& log, Storage storage, int num_threads) {
  return std::make_unique<CudaRows>(log, storage,
                                    num_threads == 0 ? hardware_threads() : num_threads);
}

}  // namespace otss::internal
