#include "learn/posterior/cuda/prior_on_gpu.hpp"

#include <algorithm>

namespace otss::internal::cuda {
namespace {

// Returns the numbers of the columns that contain each parameter: two per parameter, -1 for none.
std::vector<int> columns_of_parameters(const std::vector<PenaltyColumn>& columns,
                                       std::size_t size) {
  std::vector<int> of(2 * size, -1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (int k = 0; k < columns[i].count; ++k) {
      int* const slots = &of[2 * (columns[i].first + k * columns[i].stride)];
      slots[slots[0] < 0 ? 0 : 1] = static_cast<int>(i);
    }
  }
  return of;
}

}  // namespace

PriorOnGpu::PriorOnGpu(const MixtureLayout& layout)
    : layout_(layout), freedom_(LearnedPenalty().laws(layout).size()) {
  std::vector<PenaltyColumn> columns = penalty_columns(layout);
  std::ranges::stable_sort(columns, {}, &PenaltyColumn::group);
  num_columns_ = static_cast<int>(columns.size());
  std::vector<PriorColumn> read;
  std::vector<int> begin(freedom_.size() + 1);
  for (const PenaltyColumn& column : columns) {
    read.push_back({column.group, static_cast<int>(column.first), column.stride, column.count,
                    column.diagonal, column.shared});
    freedom_[column.group] += column.freedom;
    ++begin[column.group + 1];
  }
  for (std::size_t g = 1; g < begin.size(); ++g) begin[g] += begin[g - 1];
  columns_ = DeviceArray<PriorColumn>(std::span<const PriorColumn>(read));
  group_begin_ = DeviceArray<int>(std::span<const int>(begin));
  columns_of_ =
      DeviceArray<int>(std::span<const int>(columns_of_parameters(columns, layout.size())));
}

PriorTable PriorOnGpu::table() const {
  return {columns_.data(), group_begin_.data(), columns_of_.data(), num_columns_, num_groups()};
}

void PriorOnGpu::write_laws(const LearnedPenalty& prior, double* to) const {
  const std::vector<GammaLaw> laws = prior.laws(layout_);
  for (std::size_t g = 0; g < laws.size(); ++g) {
    to[2 * g] = laws[g].shape + 0.5 * freedom_[g];
    to[2 * g + 1] = laws[g].rate;
  }
}

}  // namespace otss::internal::cuda
