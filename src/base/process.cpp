#include "otss/base/process.hpp"

#include <malloc.h>

#include "base/isa.hpp"
#include "base/version.hpp"

namespace otss {

using namespace internal;

std::string_view version() { return kVersion; }

std::string_view instruction_set() { return isa_name(active_isa()); }

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);
  mallopt(M_TOP_PAD, 16 * kMegabyte);
#endif
}

}  // namespace otss
