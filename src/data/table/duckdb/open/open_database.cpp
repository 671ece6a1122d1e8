#include "data/table/duckdb/open/open_database.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "data/table/duckdb/connection.hpp"
#include "otss/data/prepared_tables.hpp"

namespace otss::internal::duck {
namespace {

struct Configuration {
  duckdb_config handle = nullptr;

  Configuration() { duckdb_create_config(&handle); }
  ~Configuration() { duckdb_destroy_config(&handle); }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;
  void set(const char* name, const char* value) { duckdb_set_config(handle, name, value); }
};

OpenedDatabase open_now(int num_threads) {
  Configuration configuration;
  configuration.set("threads", std::to_string(num_threads).c_str());
  configuration.set("autoinstall_known_extensions", "false");
  configuration.set("autoload_known_extensions", "false");
  configuration.set("temp_directory", "");
  OpenedDatabase opened;
  char* error = nullptr;
  if (duckdb_open_ext(nullptr, &opened.database, configuration.handle, &error) == DuckDBSuccess)
    return opened;
  if (error != nullptr) opened.error = error;
  duckdb_free(error);
  opened.database = nullptr;
  return opened;
}

void close_now(duckdb_connection connection, duckdb_database database) {
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

// A database that another thread opens. If nobody takes it, the destructor closes it.
class Spare {
 public:
  explicit Spare(int num_threads)
      : num_threads_(num_threads),
        opening_(std::async(std::launch::async, open_now, num_threads)) {}
  ~Spare() {
    if (!opening_.valid()) return;
    duckdb_database database = opening_.get().database;
    if (database != nullptr) duckdb_close(&database);
  }
  Spare(Spare&&) = default;
  Spare& operator=(Spare&&) = default;

  int num_threads() const { return num_threads_; }
  OpenedDatabase take() { return opening_.get(); }

 private:
  int num_threads_;
  std::future<OpenedDatabase> opening_;
};

class Spares {
 public:
  void add(int num_threads) {
    const std::lock_guard lock(mutex_);
    try {
      spares_.emplace_back(num_threads);
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): the system allows no
    }                                     // more threads, so the database is opened when needed
  }

  std::optional<Spare> take(int num_threads) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Spare& spare) { return spare.num_threads() == num_threads; };
    const auto found = std::ranges::find_if(spares_, fits);
    if (found == spares_.end()) return std::nullopt;
    std::optional<Spare> taken = std::move(*found);
    spares_.erase(found);
    return taken;
  }

  void close_all() {
    const std::lock_guard lock(mutex_);
    spares_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

Spares& spares() {
  static Spares all;
  return all;
}

}  // namespace

OpenedDatabase open_database(int num_threads) {
  auto spare = spares().take(num_threads);
  return spare ? spare->take() : open_now(num_threads);
}

void open_ahead(int count, int num_threads) {
  if (num_threads == 1) return;
  for (int i = 0; i < count; ++i) spares().add(num_threads);
}

void close_spares() { spares().close_all(); }

void close_on_another_thread(duckdb_connection connection, duckdb_database database) {
  static std::mutex mutex;
  static std::jthread closing;  // its destructor waits for the thread
  const std::lock_guard lock(mutex);
  try {
    closing = std::jthread(close_now, connection, database);
  } catch (const std::system_error&) {  // the system allows no more threads
    close_now(connection, database);
  }
}

}  // namespace otss::internal::duck

namespace otss {

PreparedTables::PreparedTables(int count, int threads) {
  internal::duck::open_ahead(count, threads == 0 ? internal::hardware_threads() : threads);
}

PreparedTables::~PreparedTables() { internal::duck::close_spares(); }

}  // namespace otss
