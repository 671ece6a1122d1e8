#include "base/temporary_files.hpp"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "otss/base/process.hpp"

namespace otss::internal {
namespace {

// A signal handler can interrupt any statement, and must not wait for a lock or allocate memory. So
// the paths of temporary files are in static memory, in slots. The handler reads a slot only if the
// state of the slot is kReady.
enum class State { kFree, kTaken, kReady };

struct Slot {
  std::atomic<State> state = State::kFree;
  std::array<char, PATH_MAX> path{};
};

std::array<Slot, 32> slots;

}  // namespace

void register_temporary_file(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (Slot& slot : slots) {
    State expected = State::kFree;
    if (!slot.state.compare_exchange_strong(expected, State::kTaken)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state = State::kReady;
    return;
  }
}

void unregister_temporary_file(const std::string& path) {
  for (Slot& slot : slots) {
    if (slot.state == State::kReady && path == slot.path.data()) {
      slot.state = State::kFree;
      return;
    }
  }
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

void remove_temporary_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.state == State::kReady) unlink(slot.path.data());
  }
}

}  // namespace otss
