#include "otss/decide/batch_weights.hpp"

#include "decide/gpu_weights.hpp"

namespace otss {

BatchWeights::BatchWeights(const WeightMap& map, Device device) : map_(map) {
  require_device(device);
#ifdef OTSS_HAS_CUDA
  if (device == Device::kCuda) gpu_ = internal::make_gpu_weights(map);
#endif
}

BatchWeights::~BatchWeights() = default;

void BatchWeights::compute(std::size_t rows, std::span<const double> x, std::span<double> w) const {
  if (gpu_ != nullptr) {
    gpu_->compute(rows, x, w);
  } else {
    map_.weights(rows, x, w);
  }
}

}  // namespace otss
