// What computes: the processor, or a GPU.
#pragma once

#include <array>
#include <string>

#include "otss/base/options.hpp"

namespace otss {

enum class Device {
  kCpu,  // the processor
  kCuda  // one NVIDIA GPU
};

constexpr auto word_table(Device) {
  return std::to_array<WordOf<Device>>({{Device::kCpu, "cpu"}, {Device::kCuda, "cuda"}});
}

// Returns the name and the memory of the GPU that --device cuda uses, or why there is none.
std::string describe_gpu();

// Throws Error(kUsage) if the device is a GPU and this program or this machine has none.
void require_device(Device device);

}  // namespace otss
