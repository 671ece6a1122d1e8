// Fuzz target: a comparison of methods, as `otss compare --json` prints it.
#include <cmath>

#include "promises.hpp"
#include "report/trust/comparison_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  internal::ComparisonFacts facts;
  const auto read = [&] {
    facts = internal::comparison_from_text(fuzz::text_of(data, size), "compare.json");
  };
  if (!fuzz::accepts(read)) return 0;
  for (const internal::ComparedFacts& one : facts.methods) {
    for (const double value : {one.log_loss, one.difference.value, one.seconds})
      fuzz::require(!std::isinf(value), "a number of a comparison is finite or not known");
  }
  return 0;
}
