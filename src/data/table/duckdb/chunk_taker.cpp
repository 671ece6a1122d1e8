#include "data/table/duckdb/chunk_taker.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "data/table/duckdb/scalar_function.hpp"
#include "data/table/letter_case.hpp"

namespace otss::internal::duck {

namespace {

// The names of DuckDB's columns of the row number in a Parquet file, and of the position of the
// file in the list of files. Both are counted from 0.
constexpr std::string_view kRowInFile = "file_row_number";
constexpr std::string_view kNumberOfFile = "file_index";

template <class Number>
std::size_t first_value(duckdb_data_chunk chunk, idx_t column) {
  return static_cast<std::size_t>(*static_cast<const Number*>(
      duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, column))));
}

}  // namespace

bool hides_places(std::string_view column) {
  return equals_lower(column, kRowInFile) || equals_lower(column, kNumberOfFile);
}

struct ChunkTaker::State {
  const Consume* consume = nullptr;
  const std::vector<std::size_t>* first_rows = nullptr;
  std::atomic<bool> stopped = false;
  std::mutex mutex;          // protects `error`
  std::exception_ptr error;  // the first exception of `consume`

  void take(duckdb_data_chunk chunk) {
    if (stopped) return;
    try {
      // A chunk has consecutive rows of one file.
      const std::size_t file = first_value<std::uint64_t>(chunk, 1);
      (*consume)(chunk, first_rows->at(file) + first_value<std::int64_t>(chunk, 0));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      stopped = true;
    }
  }
};

ChunkTaker::ChunkTaker(Connection& connection)
    : connection_(connection), state_(std::make_shared<State>()) {
  using Kept = std::shared_ptr<State>;
  register_function(
      connection, {"otss_take", {}, DUCKDB_TYPE_BIGINT, true},
      [](duckdb_function_info info, duckdb_data_chunk rows, duckdb_vector output) {
        State& state = *extra_info<Kept>(info);
        state.take(rows);
        std::fill_n(static_cast<std::int64_t*>(duckdb_vector_get_data(output)),
                    duckdb_data_chunk_get_size(rows), 0);
        if (state.stopped) duckdb_scalar_function_set_error(info, "otss_take: stopped");
      },
      state_);
}

void ChunkTaker::scan(const std::string& columns, const std::string& relation,
                      const std::vector<std::size_t>& first_rows, const Consume& consume) {
  state_->consume = &consume;
  state_->first_rows = &first_rows;
  state_->stopped = false;
  state_->error = nullptr;
  try {
    // max() makes DuckDB call the function for every row, and the result has only one row.
    connection_.stream(fmt::format("SELECT max(otss_take({}, {}, {})) FROM {}", kRowInFile,
                                   kNumberOfFile, columns, relation),
                       [](duckdb_data_chunk) {});
  } catch (const Failure&) {
    if (state_->error) std::rethrow_exception(state_->error);
    throw;
  }
}

}  // namespace otss::internal::duck
