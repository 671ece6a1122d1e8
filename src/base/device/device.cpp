#include "otss/base/device.hpp"

#include <fmt/core.h>

#include "base/profile.hpp"
#include "otss/base/error.hpp"
#ifdef OTSS_HAS_CUDA
#include "base/cuda/gpu.hpp"
#endif

namespace otss::internal {
namespace {

struct GpuAnswer {
  bool is_there;
  std::string text;
};

GpuAnswer ask_for_gpu() {
#ifdef OTSS_HAS_CUDA
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) return {false, found.reason};
  constexpr double kGibibyte = 1U << 30;
  return {true, fmt::format("{}, {:.0f} GiB", found.gpu->name,
                            static_cast<double>(found.gpu->memory_bytes) / kGibibyte)};
#else
  return {false, "this program was built without CUDA"};
#endif
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string describe_gpu() {
  const GpuAnswer answer = ask_for_gpu();
  return answer.is_there ? answer.text : fmt::format("none ({})", answer.text);
}

void choose_gpu([[maybe_unused]] int number) {
#ifdef OTSS_HAS_CUDA
  cuda::choose_gpu(number);
#endif
}

void start_device([[maybe_unused]] Device device) {
#ifdef OTSS_HAS_CUDA
  if (device == Device::kCuda) cuda::start_gpu();
#endif
}

void require_device(Device device) {
  if (device == Device::kCpu) return;
  const StageTimer timer(Stage::kGpu);
  const GpuAnswer answer = ask_for_gpu();
  if (!answer.is_there)
    throw Error(ErrorCode::kUsage,
                fmt::format("--device {}: {}; use --device cpu", word(device), answer.text));
}

}  // namespace otss
