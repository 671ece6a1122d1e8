// A RowSampler draws a random sample of the rows of a table that is read in row order. The number of
// rows need not be known before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"

namespace otss::internal {

// Reservoir sampling (Vitter 1985, algorithm R). Every row is in the sample with the same
// probability. If the table has no more rows than the sample may have, the sample is the table, in
// row order. The sample depends only on the number of rows, the seed and the stream.
class RowSampler {
 public:
  RowSampler(std::size_t most, std::uint64_t seed, std::uint64_t stream)
      : most_(most), rng_(seed, stream) {}

  // Call this function once per row. Returns the place of the row in the sample, from 0 to
  // num_rows() - 1, or nothing if the row is not in the sample. A row that had this place before is
  // no longer in the sample.
  std::optional<std::size_t> place_of_next() {
    const std::size_t row = seen_++;
    const std::size_t place = row < most_ ? row : rng_.below(row + 1);
    return place < most_ ? std::optional(place) : std::nullopt;
  }

  std::size_t num_rows() const { return seen_ < most_ ? seen_ : most_; }

 private:
  std::size_t most_;
  std::size_t seen_ = 0;
  Rng rng_;
};

// Stores a value at a place that a RowSampler returned.
template <class Value>
void put(std::vector<Value>& values, std::size_t place, Value value) {
  if (place == values.size())
    values.push_back(std::move(value));
  else
    values[place] = std::move(value);
}

}  // namespace otss::internal
