// Runs several pieces of work at the same time.
#pragma once

#include <functional>
#include <vector>

namespace otss {

// Runs all tasks, on up to `num_threads` threads (0 means all cores). A task may call any function
// of otss: all tasks together, and the loops inside them, use no more threads than that. With one
// thread, the tasks run one after the other. If tasks throw, the exception of the first of them is
// rethrown, and later tasks are cancelled.
void run_tasks(const std::vector<std::function<void()>>& tasks, int num_threads);

}  // namespace otss
