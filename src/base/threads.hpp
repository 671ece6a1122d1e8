// Parallel loops over fixed chunks. Work is split by the problem, never by the number of threads,
// so that results are the same bits for any thread count.
#pragma once

#include <cstddef>
#include <functional>

namespace otss {

int hardware_threads();

// Calls body(0) … body(count-1), each once, on up to `num_threads` threads (the caller is one of
// them); 0 takes all cores. Inside a body, a nested parallel_for runs serially. The first exception thrown is rethrown
// when all have stopped.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& body);

// Denormals are flushed to zero while this lives: they cost a hundred cycles each and mean nothing
// to a loss.
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
