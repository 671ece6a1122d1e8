// The rows of a log on a GPU.
#pragma once

#include <memory>

#include "engine/rows.hpp"
#include "otss/base/device.hpp"

namespace otss::internal {

// The GPU computes losses, gradients and Gauss–Newton matrices. The host, which keeps the log,
// computes what a fit asks for once and what needs few operations per row: Pearson's statistic and
// the group scores. With f16 storage, aim() throws Error(kInput) if rounding would shift weights. Refers
// to `log`, which must live longer. num_threads = 0 means all cores.
std::unique_ptr<Rows> make_cuda_rows(const LoggedData& log, Storage storage, int num_threads);

}  // namespace otss::internal
