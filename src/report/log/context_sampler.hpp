// A ContextSampler keeps a random sample of the contexts of a log.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "report/log/row_sampler.hpp"
#include "report/log_summary.hpp"

namespace otss::internal {

class ContextSampler {
 public:
  // `encoder` must outlive this object.
  ContextSampler(const Encoder& encoder, std::size_t most, std::uint64_t seed);

  // Adds the rows of a chunk, whose first columns are the context columns. `x` has the encoded
  // contexts, and `context_ids` the context id of each row, or nothing.
  void add(const TableChunk& chunk, std::span<const double> x,
           std::span<const std::string> context_ids);

  ContextSample take();  // returns the sample; call this function once
  std::vector<std::string> take_context_ids() { return std::move(context_ids_); }

 private:
  double raw_value(const TableChunk& chunk, std::size_t column, std::size_t row) const;

  const Encoder& encoder_;
  RowSampler sampler_;
  ContextSample sample_;
  std::vector<std::string> context_ids_;
};

}  // namespace otss::internal
