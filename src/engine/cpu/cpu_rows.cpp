#include "engine/cpu/cpu_rows.hpp"

#include <optional>

#include "base/threads.hpp"
#include "engine/row_chunks.hpp"

namespace otss::internal {
namespace {

class CpuRows final : public Rows {
 public:
  CpuRows(const LoggedData& log, int num_threads)
      : log_(log), num_threads_(num_threads), facts_(facts_of(log)) {}

  const RowsFacts& facts() const override { return facts_; }

  void aim(const SumTarget& target) override { chunks_.emplace(log_, target, num_threads_); }

  std::vector<double> sum(const SumRequest& request) const override {
    return chunks_->sums(request).total();
  }
  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    return chunks_->group_scores(at, log_.groups());
  }
  LoggedData take(std::span<const std::size_t> rows) const override { return rows_of(log_, rows); }

  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    return counting_rows_of(log_, positions);
  }
  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    return draw_samples(log_, options);
  }

 private:
  const LoggedData& log_;
  int num_threads_;
  RowsFacts facts_;
  std::optional<RowChunks> chunks_;
};

}  // namespace

std::unique_ptr<Rows> make_cpu_rows(const LoggedData& log, int num_threads) {
  return std::make_unique<CpuRows>(log, num_threads == 0 ? hardware_threads() : num_threads);
}

}  // namespace otss::internal
