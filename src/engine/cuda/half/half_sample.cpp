#include "engine/cuda/half/half_sample.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/cuda/cuda_engine.hpp"
#include "engine/half/corrected_engine.hpp"
#include "engine/half/half_rows.hpp"
#include "engine/half/rounding_shift.hpp"
#include "engine/row_chunks.hpp"
#include "engine/rows.hpp"

namespace otss::internal::cuda {
namespace {

constexpr std::size_t kAllBytes = std::numeric_limits<std::size_t>::max();

std::string name_of_column(const LoggedData& log, std::size_t column, bool quadratic) {
  if (quadratic) return fmt::format("column {} of the quadratic gate", column + 1);
  std::vector<std::string> names = log.encoder().encoded_names();
  for (const FactorColumn& factor : log.encoder().factors) names.push_back(factor.name);
  return fmt::format("column '{}'", names.at(column));
}

}  // namespace

HalfSample::HalfSample(LoggedData sample, const SumTarget& target, int num_threads)
    : sample_(std::move(sample)) {
  if (target.quadratic) expanded_ = quadratic_tiles(sample_.features(), sample_.num_contexts());
  const TileMatrix& original = target.quadratic ? expanded_ : sample_.features();
  const int num_contexts = original.num_columns() - sample_.num_factors();
  rounded_ = rounded_to_half(original);
  const std::vector<double> shifts = rounding_shifts(original, rounded_, num_contexts);
  const auto largest = std::ranges::max_element(shifts);
  if (!(*largest <= kLargestRoundingShift))
    throw Error(
        ErrorCode::kInput,
        fmt::format("--storage f16: rounding would shift the weights of {} by {:.2g} of their "
                    "standard errors (limit {}); use --storage f32",
                    name_of_column(sample_, largest - shifts.begin(), target.quadratic), *largest,
                    kLargestRoundingShift));
  const auto on_gpu = [&](const TileMatrix& features) {
    return copy_to_gpu(features, Storage::kSingle, num_contexts,
                       weights_to_copy(sample_, target.family, facts_of(sample_).total_weight),
                       Outcomes(target.family, sample_.outcomes(), target.units), {}, kAllBytes,
                       num_threads);
  };
  original_on_gpu_ = on_gpu(original);
  rounded_on_gpu_ = on_gpu(rounded_);
}

std::unique_ptr<Engine> HalfSample::corrected(std::unique_ptr<Engine> stored,
                                              int num_experts) const {
  return make_corrected_engine(std::move(stored), make_cuda_engine(original_on_gpu_, num_experts),
                               make_cuda_engine(rounded_on_gpu_, num_experts));
}

}  // namespace otss::internal::cuda
