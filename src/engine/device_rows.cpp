#include "engine/device_rows.hpp"

#include "engine/cpu/cpu_rows.hpp"
#ifdef OTSS_HAS_CUDA
#include "engine/cuda/cuda_rows.hpp"
#endif

namespace otss::internal {

std::unique_ptr<Rows> make_device_rows(Device device, const LoggedData& log, int num_threads) {
  require_device(device);
#ifdef OTSS_HAS_CUDA
  if (device == Device::kCuda) return make_cuda_rows(log, num_threads);
#endif
  return make_cpu_rows(log, num_threads);
}

}  // namespace otss::internal
