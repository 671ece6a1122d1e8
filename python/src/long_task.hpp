// Runs long computations so that Python stays responsive: the GIL is released, Ctrl-C stops the
// computation, and a Python callback learns how far the computation is.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <otss/otss.hpp>
#include <utility>

namespace otss::python {

namespace py = pybind11;

// Calls work(progress) in another thread and waits. Meanwhile the calling thread handles Python's
// signals and calls `callback` with (fraction, what), both about 20 times a second. If a signal
// handler or the callback raises an exception, or if the callback returns False, the computation is
// cancelled. No signal handler is installed. `callback` may be None.
void run_long_task(const py::object& callback, const std::function<void(const Progress&)>& work);

// Calls work(progress) as above and returns its result.
template <class Work>
auto long_task(const py::object& callback, const Work& work) {
  std::optional<decltype(work(Progress()))> result;
  run_long_task(callback, [&](const Progress& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}

}  // namespace otss::python
