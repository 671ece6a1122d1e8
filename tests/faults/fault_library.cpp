// A library for LD_PRELOAD that makes writes, syncs and allocations of a program fail. Environment
// variables say which:
//
//   FAULT_DISK_BYTES=n     the disk is full once n bytes were written to regular files
//   FAULT_SYNC=n           the n-th fsync fails
//   FAULT_NEW=n            the n-th operator new throws std::bad_alloc, counted from 1 ...
//   FAULT_NEW_TIMES=m      ... and the m-1 calls after it throw, too; 0: all of them
//   FAULT_NEW_IN=own|other ... but only calls by the program itself, or by its libraries, count
//   FAULT_STOP_AFTER=NAME  the program stops (SIGSTOP) once it has renamed a file to NAME
//   FAULT_COUNTS=FILE      at the end, the number of bytes, syncs and allocations goes to FILE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr long kNever = -1;

long number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? kNever : std::atol(text);
}

struct Settings {
  long disk_bytes = number("FAULT_DISK_BYTES");
  long sync = number("FAULT_SYNC");
  long first_new = number("FAULT_NEW");
  long times = number("FAULT_NEW_TIMES");
  bool own_only = false, others_only = false;

  Settings() {
    const char* in = std::getenv("FAULT_NEW_IN");
    own_only = in != nullptr && std::strcmp(in, "own") == 0;
    others_only = in != nullptr && std::strcmp(in, "other") == 0;
  }
};

const Settings& settings() {
  static const Settings read_once;
  return read_once;
}

std::atomic<bool> program_runs = false;  // false while the libraries initialise themselves
std::atomic<long> bytes = 0, syncs = 0, allocations = 0;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Returns how many of `count` bytes fit on the disk; -1 with ENOSPC if none does.
ssize_t fitting(int descriptor, size_t count) {
  if (!is_regular(descriptor)) return static_cast<ssize_t>(count);
  const long before = bytes.fetch_add(static_cast<long>(count));
  const long limit = settings().disk_bytes;
  if (limit == kNever || before + static_cast<long>(count) <= limit)
    return static_cast<ssize_t>(count);
  if (before < limit) return limit - before;
  errno = ENOSPC;
  return -1;
}

struct Range {
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
};

// Where the program itself, without its libraries, lies in memory. It is the first in the list.
Range range_of_program() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* found = static_cast<Range*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          found->begin = std::min(found->begin, begin);
          found->end = std::max(found->end, begin + info->dlpi_phdr[i].p_memsz);
        }
        return 1;  // do not go on to the libraries
      },
      &range);
  return range;
}

bool is_in_program(const void* address) {
  static const Range program = range_of_program();
  const auto where = reinterpret_cast<std::uintptr_t>(address);
  return where >= program.begin && where < program.end;
}

bool allocation_fails(const void* caller) {
  if (!program_runs) return false;
  const Settings& s = settings();
  const bool own = is_in_program(caller);
  if ((s.own_only && !own) || (s.others_only && own)) return false;
  const long call = allocations.fetch_add(1) + 1;
  if (s.first_new == kNever || call < s.first_new) return false;
  return s.times == 0 || call < s.first_new + (s.times == kNever ? 1 : s.times);
}

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (allocation_fails(caller)) {
    // As the standard's operator new does: the handler may release memory, but must not return.
    if (const std::new_handler handler = std::get_new_handler()) handler();
    throw std::bad_alloc();
  }
  void* memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                : std::aligned_alloc(
                                      alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocate_or_null(std::size_t size, std::size_t alignment, const void* caller) noexcept {
  try {
    return allocate(size, alignment, caller);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

struct Report {
  ~Report() {
    const char* file = std::getenv("FAULT_COUNTS");
    if (file == nullptr) return;
    if (std::FILE* out = std::fopen(file, "w")) {
      std::fprintf(out, "%ld %ld %ld\n", bytes.load(), syncs.load(), allocations.load());
      std::fclose(out);
    }
  }
} report;

}  // namespace

#define CALLER __builtin_return_address(0)

void* operator new(std::size_t n) { return allocate(n, 0, CALLER); }
void* operator new[](std::size_t n) { return allocate(n, 0, CALLER); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a), CALLER);
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a), CALLER);
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return allocate_or_null(n, 0, CALLER);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return allocate_or_null(n, 0, CALLER);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

// Is called after the libraries have initialised themselves, and calls the constructors of the
// program's global objects and its main.
int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*finish)(), void (*finish_libraries)(), void* stack_end) {
  using Start = decltype(&__libc_start_main);
  program_runs = true;
  return next<Start>("__libc_start_main")(program, argc, argv, init, finish, finish_libraries,
                                          stack_end);
}

ssize_t write(int descriptor, const void* data, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  const ssize_t some = fitting(descriptor, count);
  return some < 0 ? -1 : real(descriptor, data, static_cast<size_t>(some));
}

ssize_t pwrite(int descriptor, const void* data, size_t count, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  const ssize_t some = fitting(descriptor, count);
  return some < 0 ? -1 : real(descriptor, data, static_cast<size_t>(some), offset);
}

ssize_t pwrite64(int descriptor, const void* data, size_t count, off_t offset) {
  return pwrite(descriptor, data, count, offset);
}

ssize_t writev(int descriptor, const iovec* parts, int num_parts) {
  ssize_t written = 0;
  for (int i = 0; i < num_parts; ++i) {
    const ssize_t count = write(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (count < 0) return written > 0 ? written : -1;
    written += count;
    if (static_cast<size_t>(count) < parts[i].iov_len) break;
  }
  return written;
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  if (syncs.fetch_add(1) + 1 == settings().sync) {
    errno = EIO;
    return -1;
  }
  return real(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  const int result = real(from, to);
  const char* awaited = std::getenv("FAULT_STOP_AFTER");
  const char* slash = std::strrchr(to, '/');
  if (awaited != nullptr && std::strcmp(slash == nullptr ? to : slash + 1, awaited) == 0)
    raise(SIGSTOP);
  return result;
}

}  // extern "C"
