// The rows of a log in the memory of this process or on a GPU.
#pragma once

#include <memory>

#include "engine/rows.hpp"
#include "otss/base/device.hpp"

namespace otss::internal {

// What computes the sums over rows.
struct RowsDevice {
  Device device = Device::kCpu;
  Storage storage = Storage::kSingle;  // on a GPU
  int num_threads = 0;                 // of the host; 0 means all cores
};

// Refers to `log`, which must live longer. Throws Error(kUsage) if there is no such device.
std::unique_ptr<Rows> make_device_rows(const LoggedData& log, const RowsDevice& by);

}  // namespace otss::internal
