#include "process_guard.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "otss/base/process.hpp"

namespace otss::app {
namespace {

constexpr std::size_t kReserveBytes = 8U << 20U;
constinit std::atomic<void*> reserve = nullptr;

void release_reserve() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

constinit std::terminate_handler end_of_other_exceptions = nullptr;

// This function must not allocate memory, because there may be none left.
void end_the_process() {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    remove_temporary_files();
    for (const char* part : {"otss: error: ", kOutOfMemory, "\n"})
      [[maybe_unused]] const auto written = write(STDERR_FILENO, part, std::strlen(part));
    std::_Exit(1);
  } catch (...) {
    end_of_other_exceptions();
  }
  std::abort();
}

// Runs before main and before the constructors of global objects: 101 is the earliest priority that
// programs may use.
[[gnu::constructor(101)]] void prepare_for_lack_of_memory() {
  reserve = std::malloc(kReserveBytes);
  std::set_new_handler(release_reserve);
  end_of_other_exceptions = std::set_terminate(end_the_process);
}

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

}  // namespace

void fill_standard_descriptors() {
  // open() returns the lowest free number, so each call opens the descriptor that was closed.
  // Standard input is opened for writing only, and standard output and error are opened for reading
  // only, so that every use of them fails.
  if (!is_open(STDIN_FILENO)) open("/dev/null", O_WRONLY);
  if (!is_open(STDOUT_FILENO)) open("/dev/null", O_RDONLY);
  if (!is_open(STDERR_FILENO)) open("/dev/null", O_RDONLY);
}

}  // namespace otss::app
