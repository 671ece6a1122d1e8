#include "data/log/raw_log.hpp"

#include "data/log/fingerprint.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal {

std::string RawColumn::shown(std::size_t row) const {
  const double value = values[row];
  if (std::isnan(value)) return "missing";
  if (is_text) return codes.texts()[static_cast<std::size_t>(value)];
  std::string text;
  append_number(text, value);
  return text;
}

void RawColumn::append(const ColumnChunk& chunk) {
  values.insert(values.end(), chunk.numbers.begin(), chunk.numbers.end());
  for (const std::string_view text : chunk.texts) {
    values.push_back(text.data() == nullptr ? std::numeric_limits<double>::quiet_NaN()
                                            : codes.code(text, hash_text(text)));
  }
}

}  // namespace otss::internal
