// Which instruction set the vector kernels use. Each room with kernels has an `isa/` folder whose
// one source is compiled once per set; this is the only place that chooses among them.
#pragma once

#include <array>
#include <string_view>

namespace otss {

enum class Isa { kBaseline, kAvx2, kAvx512 };

inline constexpr std::array<Isa, 3> kAllIsas = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};

std::string_view isa_name(Isa isa);  // "baseline", "avx2", "avx512": the values OTSS_ISA takes
bool isa_supported(Isa isa);         // by the processor we run on

// The best supported set, or the one OTSS_ISA names (unknown or unsupported: Error, never a silent
// fallback). Read once per process.
Isa active_isa();

}  // namespace otss
