// Parallel loops over fixed chunks. The chunks depend on the problem, never on the number of
// threads, so that results are bitwise identical for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace otss {

int hardware_threads();

// Calls body(0) … body(count-1), each once, on up to `num_threads` threads including the calling
// one; 0 takes all cores. A parallel_for called inside a body runs serially. The first exception
// thrown by a body is rethrown here after all threads have stopped.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& body);

// While this object lives, its thread flushes denormal numbers to zero: an operation on one costs
// about a hundred cycles, and denormals are too small to change a loss.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace otss
