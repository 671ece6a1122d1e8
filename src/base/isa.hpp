// This header chooses the instruction set that the vector kernels use. A folder with kernels has a
// subfolder `isa/`, whose source file is compiled once per instruction set. active_isa() decides
// which of these compiled versions runs.
#pragma once

#include <array>
#include <string_view>

namespace otss::internal {

enum class Isa { kBaseline, kAvx2, kAvx512 };

inline constexpr std::array<Isa, 3> kAllIsas = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};

// Returns "baseline", "avx2" or "avx512". These are the values that OTSS_ISA can have.
std::string_view isa_name(Isa isa);
bool isa_supported(Isa isa);  // true if the processor of this machine supports `isa`

// Returns the instruction set that the environment variable OTSS_ISA names. If OTSS_ISA is not set,
// returns the best instruction set that the processor supports. Throws an Error if the value of
// OTSS_ISA is unknown or the processor does not support it. The variable is read once per process.
Isa active_isa();

// Returns the version that was compiled for `isa`, of a kernel or of a function that returns one.
template <typename Kernel>
const Kernel& compiled_for(Isa isa, const Kernel& baseline, const Kernel& avx2,
                           const Kernel& avx512) {
  switch (isa) {
    case Isa::kAvx512: return avx512;
    case Isa::kAvx2: return avx2;
    case Isa::kBaseline: break;
  }
  return baseline;
}

}  // namespace otss::internal
