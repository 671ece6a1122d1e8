#include "data/table/duckdb/chunk_view.hpp"

#include <limits>

#include "data/table/duckdb/connection.hpp"

namespace otss::internal::duck {

ChunkView::ChunkView(const std::vector<ColumnKind>& kinds, std::size_t first_column)
    : first_column_(first_column), numbers_(kinds.size()), texts_(kinds.size()) {
  for (const ColumnKind kind : kinds) view_.columns.push_back({kind, {}, {}});
}

const TableChunk& ChunkView::view(duckdb_data_chunk chunk, std::size_t first_row) {
  view_.first_row = first_row;
  view_.num_rows = duckdb_data_chunk_get_size(chunk);
  for (std::size_t i = 0; i < view_.columns.size(); ++i) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, first_column_ + i);
    ColumnChunk& column = view_.columns[i];
    if (column.kind == ColumnKind::kNumber) {
      column.numbers = numbers(vector, i);
    } else {
      column.texts = texts(vector, i);
    }
  }
  return view_;
}

std::span<const double> ChunkView::numbers(duckdb_vector vector, std::size_t column) {
  const auto* data = static_cast<const double*>(duckdb_vector_get_data(vector));
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity == nullptr) return {data, view_.num_rows};
  auto& copy = numbers_[column];
  copy.assign(data, data + view_.num_rows);
  for (std::size_t row = 0; row < copy.size(); ++row) {
    if (!is_valid(validity, row)) copy[row] = std::numeric_limits<double>::quiet_NaN();
  }
  return copy;
}

std::span<const std::string_view> ChunkView::texts(duckdb_vector vector, std::size_t column) {
  const auto* strings = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(vector));
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  auto& views = texts_[column];
  views.resize(view_.num_rows);
  for (std::size_t row = 0; row < views.size(); ++row) {
    views[row] = is_valid(validity, row) ? text_view(strings[row]) : std::string_view();
  }
  return views;
}

}  // namespace otss::internal::duck
