// A Cancellation lets one thread stop a computation that another thread runs.
#pragma once

#include <atomic>

namespace otss {

// Give the computation a Scope, and call request() from any thread:
//
//   Cancellation cancellation;
//   std::thread worker([&] {
//     const Cancellation::Scope scope(&cancellation);
//     fit(log);  // throws Error(kInterrupted) soon after request()
//   });
class Cancellation {
 public:
  void request() noexcept { requested_ = true; }  // asks the computation to stop
  bool is_requested() const noexcept { return requested_; }

  // While a Scope exists, computations of the thread that made the Scope stop when the cancellation
  // is requested, and so do the threads that these computations use. The Cancellation must outlive
  // the Scope. Null means that the computations cannot be cancelled.
  class Scope {
   public:
    explicit Scope(const Cancellation* cancellation) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Cancellation* outer_;
  };

 private:
  std::atomic<bool> requested_ = false;
};

}  // namespace otss
