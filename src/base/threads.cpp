#include "base/threads.hpp"

#include <pthread.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"

namespace otss::internal {
namespace {

thread_local bool inside_parallel_for = false;

// The state of one parallel loop. Each thread that works on the loop takes the next index until no
// index is left.
struct Loop {
  std::size_t count;
  const std::function<void(std::size_t)>* body;
  std::atomic<std::size_t> next{0};
  std::atomic<int> workers_wanted{0};
  std::mutex error_mutex;
  std::exception_ptr error;
  const Cancellation* cancellation = current_cancellation();  // of the thread that made the loop

  void run() {
    const Cancellation::Scope inherited(cancellation);
    inside_parallel_for = true;
    const FlushDenormals flush;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        (*body)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(count);
      }
    }
    inside_parallel_for = false;
  }
};

// The pool starts a worker thread when the thread is first needed, and keeps it for later loops.
// Worker threads sleep between loops. One evaluation of the loss takes only milliseconds, so
// starting new threads for each evaluation would take a noticeable share of the time.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(Loop& loop, int helpers) {
    const std::lock_guard one_loop_at_a_time(run_mutex_);
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(workers_.size()) < helpers) workers_.emplace_back([this] { work(); });
      loop_ = &loop;
      loop.workers_wanted = helpers;
      ++generation_;
    }
    wake_.notify_all();
    loop.run();
    std::unique_lock lock(mutex_);
    loop_ = nullptr;  // a worker that wakes up later must not use the finished loop
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
      Loop* loop = loop_;
      if (loop == nullptr || loop->workers_wanted.fetch_sub(1) <= 0) continue;
      ++busy_;
      lock.unlock();
      loop->run();
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex run_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  Loop* loop_ = nullptr;
  std::size_t generation_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
};

std::unique_ptr<Pool>& pool_of_process() {
  static auto instance = std::make_unique<Pool>();
  return instance;
}

// A process that was made by fork() has the pool of its parent, but none of the worker threads. So
// it gets a new pool. The old pool is never destroyed, because its destructor would wait for threads
// that do not exist.
void replace_pool_after_fork() {
  static_cast<void>(pool_of_process().release());
  pool_of_process() = std::make_unique<Pool>();
}

Pool& pool() {
  static const int registered = pthread_atfork(nullptr, nullptr, replace_pool_after_fork);
  static_cast<void>(registered);
  return *pool_of_process();
}

}  // namespace

int hardware_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void parallel_for(std::size_t count, int num_threads,
                  const std::function<void(std::size_t)>& body) {
  const int threads = num_threads == 0 ? hardware_threads() : num_threads;
  const auto helpers = static_cast<int>(std::min<std::size_t>(count, std::max(threads, 1))) - 1;
  if (helpers <= 0 || inside_parallel_for) {
    const FlushDenormals flush;
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop;
  loop.count = count;
  loop.body = &body;
  pool().run(loop, helpers);
  if (loop.error) std::rethrow_exception(loop.error);
}

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  constexpr unsigned kFlushToZero = 0x8000U;
  constexpr unsigned kDenormalsAreZero = 0x0040U;
  _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
}

FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }

}  // namespace otss::internal
