// This header runs parallel loops over fixed chunks of work. The chunks depend only on the problem,
// never on the number of threads. So results are bitwise identical for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace otss::internal {

int hardware_threads();

// Calls body(0) … body(count-1), each once, on up to `num_threads` threads. The calling thread is
// one of these threads. num_threads = 0 means all cores. A process that was forked after its parent
// had run a loop runs all bodies on the calling thread.
//
// A body may call parallel_for itself. The bodies of such an inner loop run on threads that have
// nothing else to do. All loops together use no more threads than the outermost loop may use, and
// no loop uses more than its own `num_threads`. While a thread waits for the end of a loop, it runs
// no other bodies than those of that loop (or of any loop, if it waits for the outermost loop). So
// memory that belongs to a thread is safe between two calls of parallel_for, but not across a call.
//
// If bodies throw, parallel_for rethrows the exception of the body with the lowest index, which is
// the exception that a loop on one thread would throw. Bodies with higher indices are not started.
// Those that run already are cancelled: their next call of parallel_for or of check_interrupt()
// throws.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& body);

// Calls body(0), body(1), … until one returns true. Returns the lowest index for which body returns
// true, or `count` if there is none. Bodies with higher indices than this one may run too, on threads
// that have nothing else to do; they are cancelled.
std::size_t parallel_find(std::size_t count, int num_threads,
                          const std::function<bool(std::size_t)>& body);

// Returns how many threads the loops may use that the calling body starts: as many as the outermost
// loop may use. Returns 1 outside of parallel loops.
int threads_of_this_loop();

// Throws if the calling body is cancelled, because a body with a lower index has ended its loop. The
// loop drops what this function throws.
void check_cancelled();

// Returns how many bodies parallel_for has called since the process started.
std::size_t num_tasks_done() noexcept;

// While this object exists, the processor replaces denormal numbers by zero in the thread that made
// the object. An operation on a denormal number takes about a hundred cycles, and denormal numbers
// are too small to change a loss.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace otss::internal
