#include "otss/decide/batch_weights.hpp"

#include "decide/device/gpu_weights.hpp"
#include "model/fitted_parts.hpp"

namespace otss {

BatchWeights::BatchWeights(const Fitted& fitted, Device device) : map_(fitted.weight_map()) {
  require_device(device);
#ifdef OTSS_HAS_CUDA
  const auto mixture = internal::as_soft_mixture(fitted.parts().scorer);
  if (device == Device::kCuda && mixture != nullptr) gpu_ = internal::make_gpu_weights(*mixture);
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
