// This header runs parallel loops over fixed chunks of work. The chunks depend only on the problem,
// never on the number of threads. So results are bitwise identical for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace otss::internal {

int hardware_threads();

// Calls body(0) … body(count-1), each once, on up to `num_threads` threads. The calling thread is
// one of these threads. num_threads = 0 means all cores. If a body calls parallel_for itself, the
// inner loop runs on one thread. If a body throws, parallel_for waits until all threads have
// stopped and then rethrows the first exception.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& body);

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
