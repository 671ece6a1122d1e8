// Parallel loops over fixed chunks. The chunks depend on the problem, never on the number of
// threads, so that results are bitwise identical for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace otss::internal {

int hardware_threads();

// Calls body(0) … body(count-1), each once, on up to `num_threads` threads, one of which is the
// calling thread. num_threads = 0 means all cores. A parallel_for that is called inside a body runs
// on one thread. The first exception that a body throws is rethrown here after all threads have
// stopped.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& body);

// While this object exists, the thread that made it replaces denormal numbers by zero. An operation
// on a denormal number costs about a hundred cycles, and denormals are too small to change a loss.
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
