// How long work tells its caller how far it is, and how the caller stops it.
#pragma once

#include <concepts>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "otss/base/error.hpp"

namespace otss {

// Made of a callable (double fraction, std::string_view what): how much is done, from 0 to 1, and
// what is being done. A callable that returns false cancels the work, which then ends with an
// Error(kInterrupted); one that returns nothing only listens. Calls come one at a time, but not
// always from the same thread.
class Progress {
 public:
  Progress() = default;  // nobody listens

  template <class Callable>
  requires std::invocable<const Callable&, double, std::string_view> Progress(
      Callable callable)  // NOLINT(google-explicit-constructor): a lambda is a progress
      : goes_on_([listen = std::move(callable)](double fraction, std::string_view what) {
          if constexpr (std::is_void_v<decltype(listen(fraction, what))>) {
            listen(fraction, what);
            return true;
          } else {
            return static_cast<bool>(listen(fraction, what));
          }
        }) {}

  explicit operator bool() const { return goes_on_ != nullptr; }

  void operator()(double fraction, std::string_view what) const {
    if (!goes_on_(fraction, what))
      throw Error(ErrorCode::kInterrupted, "cancelled by the caller; nothing was written");
  }

 private:
  std::function<bool(double, std::string_view)> goes_on_;
};

}  // namespace otss
