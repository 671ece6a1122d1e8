#include "base/isa.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "otss/base/error.hpp"

namespace otss::internal {

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kBaseline: return "baseline";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "";
}

bool isa_supported(Isa isa) {
  switch (isa) {
    case Isa::kBaseline: return true;
    case Isa::kAvx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
  return false;
}

namespace {

Isa best_supported() {
  Isa best = Isa::kBaseline;
  for (const Isa isa : kAllIsas) {
    if (isa_supported(isa)) best = isa;
  }
  return best;
}

Isa choose() {
  const char* wanted = std::getenv("OTSS_ISA");
  if (wanted == nullptr || *wanted == '\0') return best_supported();
  for (const Isa isa : kAllIsas) {
    if (isa_name(isa) != wanted) continue;
    if (isa_supported(isa)) return isa;
    throw Error(ErrorCode::kUsage, fmt::format("OTSS_ISA={}: this processor does not support this "
                                               "instruction set; set OTSS_ISA={} or unset OTSS_ISA",
                                               wanted, isa_name(best_supported())));
  }
  throw Error(
      ErrorCode::kUsage,
      fmt::format("OTSS_ISA={}: set OTSS_ISA to baseline, avx2 or avx512, or unset OTSS_ISA",
                  wanted));
}

}  // namespace

Isa active_isa() {
  static const Isa isa = choose();
  return isa;
}

}  // namespace otss::internal
