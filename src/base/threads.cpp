#include "base/threads.hpp"

#include <pthread.h>
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <xmmintrin.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "otss/base/error.hpp"
#include "otss/base/tasks.hpp"

namespace otss::internal {
namespace {

std::atomic<std::size_t> tasks_done{0};

// oneTBB is not compiled with the thread sanitizer. So the sanitizer does not see that a task
// starts after it was handed to oneTBB, and that a wait ends after the task; these functions tell.
#ifdef __SANITIZE_THREAD__
void show_sanitizer_release(void* address) { __tsan_release(address); }
void show_sanitizer_acquire(void* address) { __tsan_acquire(address); }
#else
void show_sanitizer_release(void*) {}
void show_sanitizer_acquire(void*) {}
#endif
char handover;  // only its address matters

class Loop;

// A body that runs now: its loop, its index, and the body that called parallel_for for its loop
// (null in an outermost loop).
struct RunningBody {
  const Loop* loop;
  std::size_t index;
  const RunningBody* caller;
};

// The innermost body that this thread runs; null outside of parallel loops.
thread_local const RunningBody* running = nullptr;

bool is_cancelled(const RunningBody* body) noexcept;

// The state of one parallel loop. Each thread that works on the loop takes the next index until no
// index is left.
class Loop {
 public:
  // The loop ends early when a body returns true.
  Loop(std::size_t count, const std::function<bool(std::size_t)>& body)
      : count_(count), body_(body), caller_(running) {}

  // Runs the loop on this thread and on at most `helpers` others, of the arena of this thread.
  void run_with(int helpers) {
    tbb::task_group group;
    ask_for(helpers, group);
    run();
    group.wait();
    show_sanitizer_acquire(&handover);
    if (error_) std::rethrow_exception(error_);
  }

  // Returns the lowest index at which a body has returned true, or the number of indices.
  std::size_t found() const { return std::min(lowest_ended_.load(), count_); }

  // Returns true if a body with a lower index has ended the loop.
  bool cancels(std::size_t index) const noexcept {
    return index > lowest_ended_.load(std::memory_order_relaxed);
  }

 private:
  // Asks for this many helpers. This thread asks one of them, who asks half of the others before it
  // begins, and so on: so 15 helpers have begun after four steps instead of fifteen, and they look
  // for work in different places. Where no thread is free, only the few tasks of this thread are made
  // in vain.
  void ask_for(int helpers, tbb::task_group& group) {
    try {
      while (helpers > 0 && next_.load(std::memory_order_relaxed) < count_) {
        const int asked_by_others = helpers / 2;
        tbb::task_handle task = group.defer([this, asked_by_others, &group] {
          show_sanitizer_acquire(&handover);
          ask_for(asked_by_others, group);
          run();
          show_sanitizer_release(&handover);
        });
        show_sanitizer_release(&handover);
        group.run(std::move(task));
        helpers -= asked_by_others + 1;
      }
    } catch (const std::bad_alloc&) {  // the loop then has fewer helpers, and the same results
    }
  }

  // Takes indices until none is left.
  void run() {
    const RunningBody* const before = running;
    const Cancellation::Scope inherited(cancellation_);
    const FlushDenormals flush;
    std::size_t done = 0;
    for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1), ++done) {
      const RunningBody own{this, i, caller_};
      running = &own;
      try {
        check_cancelled();
        if (body_(i)) end(i, nullptr);
      } catch (...) {
        end(i, std::current_exception());
      }
    }
    running = before;
    if (done > 0) tasks_done.fetch_add(done, std::memory_order_relaxed);
  }

  // Ends the loop early. The lowest index that does so decides how the loop ends. Indices are taken
  // in order, so that every lower index has been taken before, and its body runs to its end.
  void end(std::size_t index, std::exception_ptr error) {
    const std::lock_guard lock(end_mutex_);
    if (index < lowest_ended_) {
      error_ = std::move(error);
      lowest_ended_ = index;
    }
    next_.exchange(count_);
  }

  std::size_t count_;
  const std::function<bool(std::size_t)>& body_;
  const RunningBody* caller_;
  const Cancellation* cancellation_ = current_cancellation();  // of the thread that made the loop
  std::atomic<std::size_t> next_{0};
  std::mutex end_mutex_;
  std::exception_ptr error_;
  std::atomic<std::size_t> lowest_ended_{std::numeric_limits<std::size_t>::max()};
};

bool is_cancelled(const RunningBody* body) noexcept {
  for (; body != nullptr; body = body->caller) {
    if (body->loop->cancels(body->index)) return true;
  }
  return false;
}

// Lends arenas to outermost loops. An arena limits how many threads work on a loop and on all loops
// inside it. Each outermost loop has an arena of its own, so that a loop never waits until the loop
// of another thread has ended. Arenas are kept for later loops, because making one takes longer
// than a small loop.
class Arenas {
 public:
  using Arena = std::unique_ptr<tbb::task_arena>;

  Arena take(int threads) {
    const std::lock_guard lock(mutex_);
    allow(threads);
    std::vector<Arena>& idle = idle_[threads];
    if (idle.empty()) return std::make_unique<tbb::task_arena>(threads);
    Arena arena = std::move(idle.back());
    idle.pop_back();
    return arena;
  }

  void give_back(int threads, Arena arena) {
    const std::lock_guard lock(mutex_);
    idle_[threads].push_back(std::move(arena));
  }

 private:
  // oneTBB starts no more threads than there are cores, unless it is told otherwise.
  void allow(int threads) {
    if (threads <= allowed_) return;
    allowed_ = threads;
    more_threads_ = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }

  std::mutex mutex_;
  std::map<int, std::vector<Arena>> idle_;
  int allowed_ = hardware_threads();
  std::unique_ptr<tbb::global_control> more_threads_;
  // The stacks of oneTBB's threads are as large as that of the main thread usually is.
  tbb::global_control stack_size_{tbb::global_control::thread_stack_size, 8U << 20U};
};

// True in a process that was forked after its parent had started threads. The child has none of
// those threads, but its copy of oneTBB believes that it has, and a thread of the parent may have
// held one of oneTBB's locks at the fork. So loops of the child run on the calling thread.
bool lost_its_threads = false;

// The arenas live until the process ends: other static objects may still run loops when they end.
Arenas& arenas() {
  static auto* instance = [] {
    pthread_atfork(nullptr, nullptr, [] { lost_its_threads = true; });
    return new Arenas;
  }();
  return *instance;
}

void run_outermost(Loop& loop, int threads, int helpers) {
  auto arena = arenas().take(threads);
  std::exception_ptr error;
  arena->execute([&] {
    try {
      loop.run_with(helpers);
    } catch (...) {
      error = std::current_exception();
    }
  });
  arenas().give_back(threads, std::move(arena));
  if (error) std::rethrow_exception(error);
}

std::size_t run_on_this_thread(std::size_t count, const std::function<bool(std::size_t)>& body) {
  const FlushDenormals flush;
  std::size_t i = 0;
  while (i < count && !body(i)) ++i;
  tasks_done.fetch_add(std::min(i + 1, count), std::memory_order_relaxed);
  return i;
}

}  // namespace

int hardware_threads() {
  // Of the machine's cores, a process may use only some: MPI binds its processes to cores, for
  // example.
  static const int usable = [] {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }();
  return usable;
}

int threads_of_this_loop() {
  return running == nullptr ? 1 : tbb::this_task_arena::max_concurrency();
}

std::size_t num_tasks_done() noexcept { return tasks_done.load(std::memory_order_relaxed); }

void check_cancelled() {
  if (is_cancelled(running))
    throw Error(ErrorCode::kInterrupted, "stopped, because another part of the work failed");
}

std::size_t parallel_find(std::size_t count, int num_threads,
                          const std::function<bool(std::size_t)>& body) {
  check_cancelled();
  const int threads = num_threads == 0 ? hardware_threads() : std::max(num_threads, 1);
  const auto helpers = static_cast<int>(std::min<std::size_t>(count, threads)) - 1;
  if (helpers <= 0 || lost_its_threads) return run_on_this_thread(count, body);
  Loop loop(count, body);
  if (running == nullptr) {
    run_outermost(loop, threads, helpers);
  } else {
    // A thread that waits inside this region takes no tasks of other loops. Otherwise it could
    // start a long task of an outer loop, and its own loop would end only after that task.
    tbb::this_task_arena::isolate([&] { loop.run_with(helpers); });
  }
  return loop.found();
}

void parallel_for(std::size_t count, int num_threads,
                  const std::function<void(std::size_t)>& body) {
  parallel_find(count, num_threads, [&](std::size_t i) {
    body(i);
    return false;
  });
}

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  constexpr unsigned kFlushToZero = 0x8000U;
  constexpr unsigned kDenormalsAreZero = 0x0040U;
  _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
}

FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }

}  // namespace otss::internal

namespace otss {

using namespace internal;

void run_tasks(const std::vector<std::function<void()>>& tasks, int num_threads) {
  // A task computes what it would compute outside of a loop. So it keeps denormal numbers, if its
  // caller does.
  const unsigned mode = _mm_getcsr();
  parallel_for(tasks.size(), num_threads, [&](std::size_t i) {
    const FlushDenormals restores_the_mode_of_the_loop;
    _mm_setcsr(mode);
    tasks[i]();
  });
}

}  // namespace otss
