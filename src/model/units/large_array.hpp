// A LargeArray is a vector for hundreds of megabytes. resize() does not write the new numbers: the
// threads that compute them also make the system map their memory, which takes a quarter of a second
// for each gigabyte.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace otss::internal {

template <class Number>
struct UninitialisedAllocator : std::allocator<Number> {
  template <class Other>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard library names it
    using other = UninitialisedAllocator<Other>;
  };
  void construct(Number* place) { ::new (place) Number; }
  template <class Value>
  void construct(Number* place, Value&& value) {
    ::new (place) Number(std::forward<Value>(value));
  }
};

// The numbers that resize() adds are uninitialised.
template <class Number>
using LargeArray = std::vector<Number, UninitialisedAllocator<Number>>;

}  // namespace otss::internal
