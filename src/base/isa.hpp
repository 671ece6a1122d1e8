// Which instruction set the vector kernels use. A room with kernels has an `isa/` folder whose
// source file is compiled once per instruction set; only this file chooses among the results.
#pragma once

#include <array>
#include <string_view>

namespace otss {

enum class Isa { kBaseline, kAvx2, kAvx512 };

inline constexpr std::array<Isa, 3> kAllIsas = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};

std::string_view isa_name(Isa isa);  // "baseline", "avx2", "avx512": the values OTSS_ISA takes
bool isa_supported(Isa isa);         // by the processor of this machine

// The best supported set, or the one in the environment variable OTSS_ISA. An unknown or
// unsupported value is an Error, never a silent fallback. The variable is read once per process.
Isa active_isa();

}  // namespace otss
