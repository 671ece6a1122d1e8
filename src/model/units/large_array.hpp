// A LargeArray is a vector for hundreds of megabytes. It asks the system for pages of 2 MB: mapping
// a gigabyte in pages of 4 KB takes a quarter of a second, and each access to a page that was not
// used lately takes a search in the page tables. resize() does not write the new numbers, so that
// the threads that write them map the memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace otss::internal {

template <class Number>
struct LargePageAllocator {
  using value_type = Number;
  static constexpr std::size_t kLargePage = std::size_t{2} << 20U;

  LargePageAllocator() = default;
  template <class Other>
  explicit LargePageAllocator(const LargePageAllocator<Other>&) {}

  Number* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Number);
    void* memory = ::operator new(bytes, alignment(bytes));
    // A system without large pages uses small ones, so the result does not matter.
    if (bytes >= kLargePage) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<Number*>(memory);
  }
  void deallocate(Number* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(Number)));
  }
  // Leaves a new number uninitialised.
  void construct(Number* place) { ::new (place) Number; }
  template <class Value>
  void construct(Number* place, Value&& value) {
    ::new (place) Number(std::forward<Value>(value));
  }
  bool operator==(const LargePageAllocator&) const = default;

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kLargePage ? kLargePage : alignof(std::max_align_t)};
  }
};

// The numbers that resize() adds are uninitialised.
template <class Number>
using LargeArray = std::vector<Number, LargePageAllocator<Number>>;

}  // namespace otss::internal
