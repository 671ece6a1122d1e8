// Chooses the instruction set that the vector kernels use. A room with kernels has an `isa/` folder
// whose source file is compiled once per instruction set. Which of these versions runs is decided
// only here.
#pragma once

#include <array>
#include <string_view>

namespace otss::internal {

enum class Isa { kBaseline, kAvx2, kAvx512 };

inline constexpr std::array<Isa, 3> kAllIsas = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};

// "baseline", "avx2" or "avx512": the values that OTSS_ISA can have.
std::string_view isa_name(Isa isa);
bool isa_supported(Isa isa);  // true if the processor of this machine supports it

// Returns the best instruction set that the processor supports, or the one in the environment
// variable OTSS_ISA. An unknown or unsupported value is an Error; no other set is used instead. The
// variable is read once per process.
Isa active_isa();

}  // namespace otss::internal
