#include "base/memory.hpp"

#include <malloc.h>

namespace otss {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);
  mallopt(M_TOP_PAD, 16 * kMegabyte);
#endif
}

}  // namespace otss
