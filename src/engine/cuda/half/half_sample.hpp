// The sample of a log's rows that corrects what their storage in f16 changes (engine/half/corrected_engine.hpp),
// on the GPU.
#pragma once

#include <memory>

#include "engine/cuda/gpu_log.hpp"
#include "engine/engine.hpp"
#include "engine/sum_request.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal::cuda {

class HalfSample {
 public:
  // `sample` has the rows of sampled_rows(). Throws Error(kInput) if f16 would shift the weights of a
  // column by more than kLargestRoundingShift standard errors.
  HalfSample(LoggedData sample, const SumTarget& target, int num_threads);

  // Returns an engine that corrects `stored`, which has all rows in f16.
  std::unique_ptr<Engine> corrected(std::unique_ptr<Engine> stored, int num_experts) const;

 private:
  LoggedData sample_;
  TileMatrix expanded_, rounded_;  // `expanded_` only with a quadratic gate
  std::shared_ptr<const GpuLog> original_on_gpu_, rounded_on_gpu_;
};

}  // namespace otss::internal::cuda
