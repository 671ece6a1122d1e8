#include <fmt/core.h>

#include "learn/options/option_check.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/stream.hpp"

namespace otss::internal {
namespace {

// A fit needs about so much memory besides the labels: the samples, the folds, and the buffers of the
// readers.
constexpr std::size_t kWorkingBytes = 500'000'000;

// A group has a hash, a place in the order in which groups are drawn, and a number of rows.
constexpr std::size_t kGroupBytes = 32;

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string option_that_needs_memory(const FitOptions& options, const Roles& roles) {
  if (!roles.unit.empty()) return "--unit";
  if (!fits_segments(options.method) && options.method != Method::kPooled)
    return fmt::format("--method {}", word(options.method));
  if (options.gate != GateChoice::kLinear) return fmt::format("--gate {}", word(options.gate));
  if (options.estimator == Estimator::kBayes || is_paper_recipe(options))
    return fmt::format("--estimator {}", word(options.estimator));
  return options.deploy == Deploy::kMean ? "--deploy mean" : "";
}

void require_memory(const LoggedData& log, std::size_t memory_bytes) {
  // The outcomes are stored twice: as they are, and as the signs that the kernels read.
  std::size_t per_row = 2 * sizeof(float);
  if (!log.weights().empty()) per_row += sizeof(float);
  if (!log.groups().empty()) per_row += sizeof(std::uint32_t);
  if (!log.times().empty()) per_row += sizeof(double) + 1;  // and whether the row is a late one
  const std::size_t needed =
      kWorkingBytes + per_row * log.num_rows() + kGroupBytes * log.num_groups();
  if (needed <= memory_bytes) return;
  constexpr std::size_t kMegabyte = 1'000'000;
  throw Error(ErrorCode::kInput,
              fmt::format("--memory {}MB: {} rows need about {} MB of memory, {} bytes a row for "
                          "outcomes and labels and {} MB for the fit; give --memory {}MB",
                          memory_bytes / kMegabyte, log.num_rows(), needed / kMegabyte, per_row,
                          kWorkingBytes / kMegabyte, needed / kMegabyte + 1));
}

}  // namespace otss
