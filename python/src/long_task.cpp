#include "long_task.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

namespace otss::python {
namespace {

constexpr std::chrono::milliseconds kPause(50);  // between two looks at Python's signals

// What the two threads share.
class Task {
 public:
  Task(const std::function<void(const Progress&)>& work, bool reports)
      : thread_([this, &work, reports] { run(work, reports); }) {}
  ~Task() { thread_.join(); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Returns true if the work is finished within the pause.
  bool wait() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kPause, [this] { return is_finished_; });
  }
  void cancel() { cancellation_.request(); }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  // Returns what was last reported, unless news() has returned it before.
  std::optional<std::pair<double, std::string>> news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }

 private:
  void run(const std::function<void(const Progress&)>& work, bool reports) {
    try {
      const Cancellation::Scope scope(&cancellation_);
      work(!reports ? Progress() : Progress([this](double fraction, std::string_view what) {
        const std::lock_guard lock(mutex_);
        news_.emplace(fraction, what);
      }));
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    ended_.notify_all();
  }

  Cancellation cancellation_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_finished_ = false;
  std::optional<std::pair<double, std::string>> news_;
  std::exception_ptr error_;
  std::thread thread_;  // the last member, so that the others exist when the thread starts
};

// Handles Python's signals and reports progress. Returns false if the callback cancels the work.
bool attend(Task& task, const py::object& callback) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (callback.is_none()) return true;
  const auto news = task.news();
  if (!news) return true;
  const py::object answer = callback(news->first, news->second);
  return !answer.is(py::bool_(false));
}

}  // namespace

void run_long_task(const py::object& callback, const std::function<void(const Progress&)>& work) {
  Task task(work, !callback.is_none());
  bool is_cancelled = false;
  try {
    while (true) {
      {
        const py::gil_scoped_release release;
        if (task.wait()) break;
      }
      if (is_cancelled || attend(task, callback)) continue;
      task.cancel();
      is_cancelled = true;
    }
    if (!is_cancelled) attend(task, callback);
  } catch (...) {
    task.cancel();
    const py::gil_scoped_release release;
    while (!task.wait()) {
    }
    throw;
  }
  task.rethrow();
}

}  // namespace otss::python
