// Progress tells the caller how far a long computation is, and lets the caller cancel the
// computation.
#pragma once

#include <concepts>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "otss/base/error.hpp"

namespace otss {

// Wraps a callable with the arguments (double fraction, std::string_view what). `fraction` is the
// share of the work that is done, from 0 to 1. `what` names the work that is being done now. If the
// callable returns false, the work is cancelled and ends with an Error(kInterrupted). A callable
// that returns void cannot cancel. Two calls never overlap, but they may come from different
// threads.
class Progress {
 public:
  // Makes a Progress that has no callable and reports nothing. Do not call operator() of such a
  // Progress.
  Progress() = default;

  template <class Callable>
  requires std::invocable<const Callable&, double, std::string_view> Progress(
      Callable callable)  // NOLINT(google-explicit-constructor): callers pass a lambda
      : goes_on_([listen = std::move(callable)](double fraction, std::string_view what) {
          if constexpr (std::is_void_v<decltype(listen(fraction, what))>) {
            listen(fraction, what);
            return true;
          } else {
            return static_cast<bool>(listen(fraction, what));
          }
        }) {}

  // Returns true if this Progress has a callable.
  explicit operator bool() const { return goes_on_ != nullptr; }

  // Calls the callable. Throws Error(kInterrupted) if the callable cancels the work.
  void operator()(double fraction, std::string_view what) const {
    if (!goes_on_(fraction, what))
      throw Error(ErrorCode::kInterrupted, "cancelled by the caller; nothing was written");
  }

 private:
  std::function<bool(double, std::string_view)> goes_on_;
};

}  // namespace otss
