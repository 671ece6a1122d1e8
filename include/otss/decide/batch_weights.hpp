// Computes the weights of many contexts, on the processor or on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "otss/base/device.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

namespace internal {
class GpuWeights;
}

class BatchWeights {
 public:
  // `fitted` must outlive this object. A GPU computes the weights of mixtures with linear gates and of
  // averages of such mixtures; the weights of all other models are computed by the processor. Throws
  // Error(kUsage) if there is no such device, and the errors of Fitted::weight_map.
  BatchWeights(const Fitted& fitted, Device device);
  ~BatchWeights();

  // Computes the weights of `rows` contexts: x is rows × p, w is rows × J. The processor's weights have
  // the bits of WeightMap::weights; a GPU's differ from them by rounding. Several threads may call this
  // function at once.
  void compute(std::size_t rows, std::span<const double> x, std::span<double> w) const;

 private:
  const WeightMap& map_;
  std::unique_ptr<const internal::GpuWeights> gpu_;  // null: the processor computes
};

}  // namespace otss
