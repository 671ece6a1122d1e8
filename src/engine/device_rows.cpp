#include "engine/device_rows.hpp"

#include "engine/cpu/cpu_rows.hpp"
#ifdef OTSS_HAS_CUDA
#include "engine/cuda/cuda_rows.hpp"
#endif

namespace otss::internal {

std::unique_ptr<Rows> make_device_rows(const LoggedData& log, const RowsDevice& by) {
  require_device(by.device);
#ifdef OTSS_HAS_CUDA
  if (by.device == Device::kCuda) return make_cuda_rows(log, by.storage, by.num_threads);
#endif
  return make_cpu_rows(log, by.num_threads);
}

}  // namespace otss::internal
