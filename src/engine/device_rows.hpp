// The rows of a log in the memory of this process or on a GPU.
#pragma once

#include <memory>

#include "engine/rows.hpp"
#include "otss/base/device.hpp"

namespace otss::internal {

// Refers to `log`, which must live longer. num_threads = 0 means all cores. Throws Error(kUsage) if
// there is no such device.
std::unique_ptr<Rows> make_device_rows(Device device, const LoggedData& log, int num_threads);

}  // namespace otss::internal
