#include "engine/cuda/cuda_rows.hpp"

#include "base/threads.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "engine/cuda/gauss_newton_sums.hpp"
#include "engine/row_chunks.hpp"

namespace otss::internal {
namespace {

class CudaRows final : public Rows {
 public:
  CudaRows(const LoggedData& log, int num_threads)
      : log_(log), num_threads_(num_threads), on_host_(make_cpu_rows(log, num_threads)) {}

  const RowsFacts& facts() const override { return on_host_->facts(); }

  void aim(const SumTarget& target) override {
    on_host_->aim(target);
    engine_.reset();
    on_gpu_.reset();
    int num_contexts = log_.num_contexts();
    if (target.quadratic) {
      expanded_ = quadratic_tiles(log_.features(), num_contexts);
      num_contexts = expanded_.num_columns() - log_.num_factors();
    }
    on_gpu_ = cuda::copy_to_gpu(target.quadratic ? expanded_ : log_.features(), num_contexts,
                                signed_weights_of(log_, target.family),
                                Outcomes(target.family, log_.outcomes(), target.units), {},
                                cuda::bytes_for_tiles(), num_threads_);
  }

  std::vector<double> sum(const SumRequest& request) const override {
    switch (request.what) {
      case RowSum::kLossAndGradient: return loss_and_gradient(request);
      case RowSum::kGaussNewton:
        if (request.mixed == Mixed::kPredictors && cuda::can_sum_gauss_newton(request.theta.size()))
          return cuda::sum_gauss_newton(*on_gpu_, request.layout, request.theta);
        break;
      case RowSum::kPearson: break;
    }
    return on_host_->sum(request);
  }

  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    return on_host_->group_scores(at);
  }
  LoggedData take(std::span<const std::size_t> rows) const override { return on_host_->take(rows); }
  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    return on_host_->counting_rows(positions);
  }
  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    return on_host_->samples(options);
  }

 private:
  std::vector<double> loss_and_gradient(const SumRequest& request) const {
    const int experts = request.layout.num_experts;
    if (engine_ == nullptr || engine_->layout().num_experts != experts)
      engine_ = make_cuda_engine(on_gpu_, experts);
    std::vector<double> sums(request.size());
    sums.front() = engine_->evaluate(request.theta, std::span(sums).subspan(1), request.precision);
    return sums;
  }

  const LoggedData& log_;
  int num_threads_;
  std::unique_ptr<Rows> on_host_;
  TileMatrix expanded_;  // with a quadratic gate
  std::shared_ptr<const cuda::GpuLog> on_gpu_;
  // The engine of the last request. The passes of a fit all have the same number of experts.
  mutable std::unique_ptr<Engine> engine_;
};

}  // namespace

std::unique_ptr<Rows> make_cuda_rows(const LoggedData& log, int num_threads) {
  return std::make_unique<CudaRows>(log, num_threads == 0 ? hardware_threads() : num_threads);
}

}  // namespace otss::internal
