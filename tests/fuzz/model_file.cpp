// Fuzz target: a model file. The mutator gives most inputs a valid checksum, so that they reach the
// readers of the fields.
#include <limits>

#include "resealed.hpp"
#include "served.hpp"

namespace otss::fuzz {
namespace {

// One raw context made of the encoder's own values, and one of values that training did not have.
std::vector<std::vector<RawValue>> raw_contexts(const Encoder& encoder) {
  std::vector<std::vector<RawValue>> rows(2);
  for (const ContextColumn& column : encoder.contexts) {
    if (column.kind == ColumnKind::kNumber) {
      rows[0].emplace_back(column.range ? column.range->hi : column.center);
      rows[1].emplace_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      rows[0].emplace_back(column.levels.empty() ? std::string_view() : column.levels.front());
      rows[1].emplace_back("a level that no training row had");
    }
  }
  return rows;
}

void use(const Fitted& fitted) {
  numbers_of(fitted);
  std::vector<double> x(fitted.num_contexts());
  for (const auto& row : raw_contexts(fitted.encoder())) {
    accepts([&] {
      fitted.encoder().encode(row, x);
      numbers_in(fitted, x);
    });
  }
}

// Saving and loading a model changes nothing.
void save_and_load(const Fitted& fitted) {
  const std::string text = model_to_text(fitted);
  const Fitted again = model_from_text(text, "saved");
  require(model_to_text(again) == text, "a saved model is saved again as the same text");
  require(numbers_of(again) == numbers_of(fitted), "a saved model has the same weights");
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  fuzz::accepts([&] {
    const Fitted fitted = model_from_text(fuzz::text_of(data, size), "model.json");
    fuzz::use(fitted);
    // Saving and loading takes most of the time, so only some inputs are tested in this way.
    if (size % 8 == 0) fuzz::save_and_load(fitted);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return otss::fuzz::mutate_and_reseal(data, size, max_size, seed);
}
