// The shortest time of many repetitions: the least disturbed by other load on the machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace otss::bench {

template <class Body>
double best_seconds(Body&& body, double budget_seconds = 0.1) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  body();  // warm-up: allocates memory and fills the caches
  double best = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  do {
    const auto begin = Clock::now();
    body();
    best = std::min(best, since(begin));
  } while (since(start) < budget_seconds);
  return best;
}

}  // namespace otss::bench
