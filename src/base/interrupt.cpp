#include "base/interrupt.hpp"

#include <csignal>

#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss::internal {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void check_interrupt() {
  if (interrupted != 0) throw Error(ErrorCode::kInterrupted, "interrupted; nothing was written");
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

void install_interrupt_handler() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
}

}  // namespace otss
