#include "report/log/context_sampler.hpp"

#include <algorithm>
#include <limits>

namespace otss::internal {

namespace {
constexpr std::uint64_t kContextStream = 17;  // the random numbers of this sample
}

ContextSampler::ContextSampler(const Encoder& encoder, std::size_t most, std::uint64_t seed)
    : encoder_(encoder), sampler_(most, seed, kContextStream) {
  sample_.raw.resize(encoder.contexts.size());
}

void ContextSampler::add(const TableChunk& chunk, std::span<const double> x,
                         std::span<const std::string> context_ids) {
  const std::size_t p = encoder_.num_encoded();
  for (std::size_t i = 0; i < chunk.num_rows; ++i) {
    const auto place = sampler_.place_of_next();
    if (!place) continue;
    const auto own = x.subspan(i * p, p);
    if (*place * p == sample_.x.size()) sample_.x.resize(sample_.x.size() + p);
    std::ranges::copy(own, sample_.x.begin() + static_cast<std::ptrdiff_t>(*place * p));
    for (std::size_t c = 0; c < sample_.raw.size(); ++c)
      put(sample_.raw[c], *place, raw_value(chunk, c, i));
    if (!context_ids.empty()) put(context_ids_, *place, context_ids[i]);
  }
}

double ContextSampler::raw_value(const TableChunk& chunk, std::size_t column,
                                 std::size_t row) const {
  const ColumnChunk& cells = chunk.columns[column];
  if (cells.kind == ColumnKind::kNumber) return cells.numbers[row];
  const std::string_view text = cells.texts[row];
  if (text.data() == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string>& levels = encoder_.contexts[column].levels;
  const auto level = std::ranges::lower_bound(levels, text);
  if (level == levels.end() || *level != text) return -1;
  return static_cast<double>(level - levels.begin());
}

ContextSample ContextSampler::take() {
  sample_.num_rows = sampler_.num_rows();
  return std::move(sample_);
}

}  // namespace otss::internal
