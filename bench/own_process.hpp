// Measurements that run in a process of their own, so that each has its own peak memory and its own
// threads.
#pragma once

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>

namespace otss::bench {

struct Measured {
  double seconds = 0;
  double peak_bytes = 0;
};

// Runs `work` in a child process; `work` returns the seconds to report.
inline Measured in_own_process(const std::function<double()>& work) {
  auto* seconds = static_cast<double*>(
      mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    *seconds = work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) {
    fmt::print(stderr, "the child process of a measurement failed\n");
    std::exit(1);
  }
  const Measured result{*seconds, static_cast<double>(usage.ru_maxrss) * 1024};
  munmap(seconds, sizeof(double));
  return result;
}

inline double timed(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace otss::bench
