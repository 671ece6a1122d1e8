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

// How a GPU stores contexts and factors.
enum class Storage {
  kSingle,  // in 4 bytes
  kHalf     // in 2 bytes, as f16; what rounding changes is corrected with a sample of the rows
};

constexpr auto word_table(Storage) {
  return std::to_array<WordOf<Storage>>({{Storage::kSingle, "f32"}, {Storage::kHalf, "f16"}});
}

// Returns the name and the memory of the GPU that --device cuda uses, or why there is none.
std::string describe_gpu();

// Chooses the GPU that this process uses: the one with this number, where the numbers begin again after the
// last GPU. Without this call a process uses the first one.
void choose_gpu(int number);

// Starts the device in the background, if it is a GPU: the first use of a GPU takes some tenths of a second.
// Calling this function is never necessary.
void start_device(Device device);

// Throws Error(kUsage) if the device is a GPU and this program or this machine has none.
void require_device(Device device);

}  // namespace otss
