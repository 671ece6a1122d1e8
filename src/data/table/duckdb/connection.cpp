#include "data/table/duckdb/connection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/interrupt.hpp"
#include "data/table/duckdb/open/open_database.hpp"
#include "data/table/duckdb/query_watch.hpp"
#include "data/table/parallel/bounded_queue.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {
namespace {

// Returns the type of an error from its message. If a statement has no result, DuckDB gives the
// type only as words at the start of the message.
duckdb_error_type type_named_in(std::string_view message) {
  if (message.starts_with("Permission Error")) return DUCKDB_ERROR_PERMISSION;
  if (message.starts_with("Conversion Error")) return DUCKDB_ERROR_CONVERSION;
  if (message.starts_with("INTERRUPT Error")) return DUCKDB_ERROR_INTERRUPT;
  if (message.starts_with("Out of Memory Error")) return DUCKDB_ERROR_OUT_OF_MEMORY;
  return DUCKDB_ERROR_INVALID;
}

// Returns true if DuckDB says that the process has no memory left. DuckDB then puts one of these
// texts directly after the type of the error. Elsewhere in the message they may be quoted from the
// table.
bool is_out_of_memory(std::string_view message) {
  constexpr std::string_view kTypeEnd = "Error: ";
  const std::size_t type = message.find(kTypeEnd);
  if (type != std::string_view::npos) message.remove_prefix(type + kTypeEnd.size());
  return message.starts_with("Allocation failure") || message.starts_with("std::bad_alloc");
}

// Throws the error of DuckDB as an exception. If the process has no memory left, throws
// std::bad_alloc instead, because then neither the statement nor the table is at fault.
[[noreturn]] void raise(duckdb_error_type type, const std::string& message) {
  if (is_out_of_memory(message)) throw std::bad_alloc();
  throw Failure(type, message);
}

// DuckDB gives no message if there was no memory left for the message.
[[noreturn]] void raise(const char* message) {
  if (message == nullptr) throw std::bad_alloc();
  raise(type_named_in(message), message);
}

std::optional<std::string> copied(const char* text) {
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

struct Statement {
  duckdb_prepared_statement handle = nullptr;

  Statement(duckdb_connection connection, const std::string& sql) {
    if (duckdb_prepare(connection, sql.c_str(), &handle) == DuckDBSuccess) return;
    const std::optional<std::string> message = copied(duckdb_prepare_error(handle));
    duckdb_destroy_prepare(&handle);
    raise(message ? message->c_str() : nullptr);
  }
  ~Statement() { duckdb_destroy_prepare(&handle); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
};

struct Result {
  duckdb_result handle{};

  Result() = default;
  ~Result() { duckdb_destroy_result(&handle); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  void check(duckdb_state state = DuckDBSuccess) {
    if (const char* message = duckdb_result_error(&handle); message != nullptr) {
      raise(duckdb_result_error_type(&handle), message);
    }
    if (state != DuckDBSuccess) raise(nullptr);
  }
};

struct DestroyChunk {
  void operator()(duckdb_data_chunk chunk) const { duckdb_destroy_data_chunk(&chunk); }
};
using Chunk = std::unique_ptr<std::remove_pointer_t<duckdb_data_chunk>, DestroyChunk>;

struct Pending {
  duckdb_pending_result handle = nullptr;

  explicit Pending(const Statement& statement) {
    if (duckdb_pending_prepared_streaming(statement.handle, &handle) == DuckDBSuccess) return;
    const std::optional<std::string> message = copied(error());
    duckdb_destroy_pending(&handle);
    raise(message ? message->c_str() : nullptr);
  }
  ~Pending() { duckdb_destroy_pending(&handle); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  const char* error() const { return duckdb_pending_error(handle); }
};

// Starts a statement. DuckDB may work for a long time before it returns the first row, and Ctrl-C
// must work during this time. So this function executes one DuckDB task at a time, and looks for
// Ctrl-C between two tasks.
void start_streaming(duckdb_connection connection, const Statement& statement, Result& result) {
  const Pending pending(statement);
  while (true) {
    // After duckdb_interrupt, DuckDB reports an error, and this error ends the loop. If this
    // function returned earlier, DuckDB would wait forever for its own tasks.
    if (is_interrupted()) duckdb_interrupt(connection);
    const auto state = duckdb_pending_execute_task(pending.handle);
    if (state == DUCKDB_PENDING_ERROR) {
      check_interrupt();
      raise(pending.error());
    }
    if (duckdb_pending_execution_is_finished(state)) break;
    if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  result.check(duckdb_execute_pending(pending.handle, &result.handle));
}

// A SELECT whose rows are fetched chunk by chunk.
class RunningSelect {
 public:
  // `seconds` is the time that DuckDB may work on the SELECT, if there is a limit.
  RunningSelect(duckdb_connection connection, const std::string& select,
                std::optional<double> seconds)
      : statement_(connection, select) {
    if (seconds) watch_.emplace(connection, *seconds);
    watched([&] { start_streaming(connection, statement_, result_); });
  }

  // Returns the next chunk in row order, or nothing after the last row.
  std::optional<Chunk> fetch() {
    while (true) {
      check_interrupt();
      Chunk chunk;
      watched([&] { chunk.reset(duckdb_fetch_chunk(result_.handle)); });
      if (chunk == nullptr) return std::nullopt;
      if (duckdb_data_chunk_get_size(chunk.get()) > 0) return chunk;
    }
  }

  void check() { result_.check(); }  // throws if fetch() has returned nothing because of an error

 private:
  // Calls `work`, which lets DuckDB work. The time that `work` takes counts towards the limit.
  template <class Work>
  void watched(Work work) {
    if (watch_) watch_->start();
    work();
    if (watch_) watch_->stop();
  }

  Statement statement_;
  std::optional<QueryWatch> watch_;
  Result result_;
};

// Collects the first exception of several threads.
class FirstError {
 public:
  // Returns false if `work` throws, or if some earlier call has thrown.
  template <class Work>
  bool passes(Work work) {
    if (stopped_) return false;
    try {
      work();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stopped_ = true;
      return false;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

std::optional<std::string> text_at(duckdb_data_chunk chunk, idx_t column, idx_t row) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity != nullptr && !duckdb_validity_row_is_valid(validity, row)) return std::nullopt;
  auto* strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return std::string(duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row]));
}

// The size of the buffer for streaming, per thread. DuckDB divides a CSV file into parts of 2 MB
// (csv.cpp). A part of short numbers has about the same size as doubles, and DuckDB uses only 40 % of
// the buffer for rows that wait for their turn. So a thread can be a few parts ahead.
constexpr int kBufferMegabytes = 24;

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

}  // namespace

std::string Failure::one_line() const {
  std::string_view rest = what();
  if (const auto prefix = rest.find("Error: "); prefix < 32) rest.remove_prefix(prefix + 7);
  // The message is cut at the first empty line and at the first line that begins with "LINE" or
  // "Possible". In the text that follows, DuckDB recommends options that otss does not have, or
  // quotes SQL that the user did not write.
  rest =
      rest.substr(0, std::min({rest.find("\n\n"), rest.find("\nLINE "), rest.find("\nPossible ")}));
  std::string line(rest);
  std::replace(line.begin(), line.end(), '\n', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

Connection::Connection(int num_threads) : num_threads_(num_threads) {
  const OpenedDatabase opened = open_database(num_threads);
  if (opened.database == nullptr) raise(opened.error ? opened.error->c_str() : nullptr);
  database_ = opened.database;
  if (duckdb_connect(database_, &connection_) != DuckDBSuccess) raise(nullptr);
  // The threads of DuckDB read parts of a table at the same time. Rows that a thread reads before
  // it is their turn wait in a buffer. With DuckDB's default of 1 MB, all threads but one would
  // wait for room in this buffer.
  if (num_threads > 1)
    execute(fmt::format("SET streaming_buffer_size = '{}MB'", kBufferMegabytes * num_threads));
}

Connection::~Connection() {
  // If a stream was not read to its end, a DuckDB worker thread may still lock a mutex of the
  // connection. DuckDB 1.4.4 frees this mutex without waiting for the worker thread, and closing
  // the connection then hangs. So such a connection is never closed. An error leaves at most one
  // such connection behind.
  if (abandoned_) return;
  if (closes_later_ && num_threads_ > 1) {
    close_on_another_thread(connection_, database_);
    return;
  }
  duckdb_disconnect(&connection_);
  duckdb_close(&database_);
}

void Connection::restrict_to(const std::vector<std::string>& files) {
  std::vector<std::string> folders;
  for (const std::string& file : files) {
    const std::size_t special = file.find_first_of("*[");
    if (file.find("://") < special && special != std::string::npos)
      folders.push_back(file.substr(0, file.rfind('/', special) + 1));
  }
  execute(fmt::format("SET allowed_paths = {}", quoted_list(files)));
  if (!folders.empty()) execute(fmt::format("SET allowed_directories = {}", quoted_list(folders)));
  execute("SET enable_external_access = false");
  execute("SET lock_configuration = true");
}

void Connection::limit_memory(std::size_t megabytes) {
  execute(fmt::format("SET memory_limit = '{}MB'", megabytes));
}

void Connection::use_one_thread_for_sql() {
  execute("SET threads = 1");
  execute("RESET streaming_buffer_size");
}

void Connection::execute(const std::string& sql) {
  Result result;
  result.check(duckdb_query(connection_, sql.c_str(), &result.handle));
}

std::vector<ResultColumn> Connection::describe(const std::string& select) {
  const Statement statement(connection_, select);
  std::vector<ResultColumn> columns;
  const idx_t count = duckdb_prepared_statement_column_count(statement.handle);
  for (idx_t i = 0; i < count; ++i) {
    const std::unique_ptr<const char, void (*)(const char*)> name(
        duckdb_prepared_statement_column_name(statement.handle, i),
        [](const char* text) { duckdb_free(const_cast<char*>(text)); });
    columns.push_back({name.get(), duckdb_prepared_statement_column_type(statement.handle, i)});
    if (columns.back().type != DUCKDB_TYPE_DECIMAL) continue;
    duckdb_logical_type type = duckdb_prepared_statement_column_logical_type(statement.handle, i);
    columns.back().decimal_width = duckdb_decimal_width(type);
    columns.back().decimal_scale = duckdb_decimal_scale(type);
    duckdb_destroy_logical_type(&type);
  }
  return columns;
}

void Connection::stream(const std::string& select,
                        const std::function<void(duckdb_data_chunk)>& consume) {
  // `abandoned_` gets its old value back when the stream has been read to its end. With one thread
  // DuckDB has no worker threads, so the connection can always be closed.
  const bool was_abandoned = std::exchange(abandoned_, abandoned_ || num_threads_ > 1);
  RunningSelect rows(connection_, select, seconds_);
  if (num_threads_ == 1) {
    while (const auto chunk = rows.fetch()) consume(chunk->get());
  } else {
    // DuckDB does part of the work of a scan on the thread that asks for the next chunk. So one
    // thread asks for chunks while another thread uses them.
    BoundedQueue<Chunk> chunks([&] { return rows.fetch(); });
    while (const auto chunk = chunks.take()) consume(chunk->get());
  }
  rows.check();
  abandoned_ = was_abandoned;
}

void Connection::stream_in_parallel(
    const std::string& select, const std::function<void(duckdb_data_chunk, std::size_t)>& consume) {
  struct NumberedChunk {
    Chunk chunk;
    std::size_t first_row;
  };
  const bool was_abandoned = std::exchange(abandoned_, true);
  RunningSelect rows(connection_, select, seconds_);
  std::size_t num_rows = 0;  // used only by the thread that fetches
  FirstError errors;
  {
    BoundedQueue<NumberedChunk> chunks(
        [&]() -> std::optional<NumberedChunk> {
          auto chunk = rows.fetch();
          if (!chunk) return std::nullopt;
          const std::size_t first_row = num_rows;
          num_rows += duckdb_data_chunk_get_size(chunk->get());
          return NumberedChunk{std::move(*chunk), first_row};
        },
        static_cast<std::size_t>(2 * num_threads_));
    const auto use_chunks = [&] {
      std::optional<NumberedChunk> next;
      const auto use_next = [&] {
        next = chunks.take();
        if (next) consume(next->chunk.get(), next->first_row);
      };
      while (errors.passes(use_next) && next) {
      }
    };
    std::vector<std::jthread> helpers;
    try {
      for (int i = 1; i < num_threads_; ++i) helpers.emplace_back(use_chunks);
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): fewer threads are enough
    }
    use_chunks();
  }
  errors.rethrow();
  rows.check();
  abandoned_ = was_abandoned;
}

std::optional<Connection::TextRow> Connection::first_row(const std::string& select) {
  std::optional<TextRow> row;
  stream(select, [&](duckdb_data_chunk chunk) {
    if (row) return;
    row.emplace();
    const idx_t columns = duckdb_data_chunk_get_column_count(chunk);
    for (idx_t i = 0; i < columns; ++i) row->push_back(text_at(chunk, i, 0));
  });
  return row;
}

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }

std::string quoted_literal(std::string_view value) { return quoted(value, '\''); }

std::string quoted_list(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) {
    if (!list.empty()) list += ", ";
    list += quoted_literal(value);
  }
  return fmt::format("[{}]", list);
}

}  // namespace otss::internal::duck
