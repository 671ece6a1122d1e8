// VariedContexts answers questions of the form "what if everybody were 30 years old": it encodes
// some contexts of a sample with one column changed and all other columns as they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/model/fitted.hpp"
#include "report/log_summary.hpp"

namespace otss::internal {

// Returns at most `most` positions from 0 to count - 1, evenly spaced.
std::vector<std::size_t> spaced_positions(std::size_t count, std::size_t most);

// Returns the given rows of a matrix with rows of `width` entries.
std::vector<double> rows_of(std::span<const double> matrix, std::size_t width,
                            std::span<const std::size_t> rows);

// Says how many contexts an average is computed from: as many as the work allows, within limits.
struct RowLimits {
  std::size_t least, most;
  double work;  // multiplications of the whole computation, about a nanosecond each

  // `of_row` is the number of multiplications that each context needs.
  std::size_t affordable(double of_row) const;
};

// Returns the number of multiplications that the draws of w(x) of one context need.
double work_of_draws(const Fitted& fitted);

class VariedContexts {
 public:
  // Uses at most `most` contexts of the sample, evenly spaced. Both arguments must outlive this
  // object.
  VariedContexts(const Encoder& encoder, const ContextSample& sample, std::size_t most);

  std::size_t num_rows() const { return rows_.size(); }
  // All functions return encoded contexts, row after row.
  std::vector<double> as_they_are() const;
  // Every context gets this value of the column.
  std::vector<double> with(std::size_t column, const RawValue& value) const;
  // Every number of the column grows by `by`. Contexts without a number are left out.
  std::vector<double> shifted(std::size_t column, double by) const;

 private:
  std::vector<RawValue> values_of(std::size_t row) const;
  void append(std::span<const RawValue> values, std::vector<double>& out) const;

  const Encoder& encoder_;
  const ContextSample& sample_;
  std::vector<std::size_t> rows_;
  std::vector<std::string> unknown_;  // for each column, a text that is no level
};

}  // namespace otss::internal
