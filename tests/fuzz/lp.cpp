// Fuzz target: a plan in LP format.
#include "plan_promises.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return otss::fuzz::test_plan(otss::fuzz::text_of(data, size), otss::internal::read_lp);
}
