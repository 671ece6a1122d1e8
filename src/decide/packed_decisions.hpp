// PackedDecisions holds the factors of decisions in the memory layout that the score kernel reads
// (decide/isa/score_kernel.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "decide/isa/score_kernel.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {

class PackedDecisions {
 public:
  // Packs the given rows of a table of factors. The table is decisions × num_factors.
  PackedDecisions(std::span<const double> factors, std::size_t num_factors,
                  std::span<const std::size_t> rows);

  std::size_t size() const { return size_; }
  std::size_t padded_size() const { return lines_for(size_) * kDoublesPerLine; }
  PackedView view() const { return {lines_.front().lanes, lines_for(size_), num_factors_}; }

 private:
  std::size_t size_;
  std::size_t num_factors_;
  CacheLines lines_;
};

}  // namespace otss::internal
