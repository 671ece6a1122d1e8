#include "base/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

#include "base/temporary_files.hpp"
#include "base/threads.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss::internal {
namespace {

volatile std::sig_atomic_t interrupted = 0;
thread_local const Cancellation* cancellation_of_thread = nullptr;

const char* last_line = nullptr;
timer_t patience{};

// Ends the process although the computation still runs. Calls only functions that a signal handler
// may call.
void end_now(int) {
  remove_temporary_files();
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_line, std::strlen(last_line));
  _exit(1);
}

void on_signal(int) {
  interrupted = 1;
  if (last_line == nullptr) return;
  constexpr long kNanoseconds = 150'000'000;
  const itimerspec once{{0, 0}, {0, kNanoseconds}};
  timer_settime(patience, 0, &once, nullptr);
}

void be_ready_to_end_now(const char* line) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  if (timer_create(CLOCK_MONOTONIC, &event, &patience) != 0) return;
  std::signal(SIGALRM, end_now);
  last_line = line;
}

// Installs on_signal() as the handler of a signal, for one time only: a second signal has its
// default action. A system call that waits, such as poll(), returns when the signal arrives and is
// not restarted.
void handle(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;
  sigaction(signal, &action, nullptr);
}

}  // namespace

bool is_interrupted() noexcept {
  return interrupted != 0 ||
         (cancellation_of_thread != nullptr && cancellation_of_thread->is_requested());
}

const Cancellation* current_cancellation() noexcept { return cancellation_of_thread; }

void check_interrupt() {
  if (is_interrupted()) throw Error(ErrorCode::kInterrupted, "interrupted; nothing was written");
  check_cancelled();
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

Cancellation::Scope::Scope(const Cancellation* cancellation) noexcept
    : outer_(cancellation_of_thread) {
  cancellation_of_thread = cancellation;
}

Cancellation::Scope::~Scope() { cancellation_of_thread = outer_; }

void install_interrupt_handler(const char* line) {
  if (line != nullptr) be_ready_to_end_now(line);
  handle(SIGINT);
  handle(SIGTERM);
  handle(SIGHUP);
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_of_computation() noexcept {
  if (last_line == nullptr) return;
  const itimerspec never{};
  timer_settime(patience, 0, &never, nullptr);
}

}  // namespace otss
