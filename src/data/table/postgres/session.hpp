// A Session is a connection to a PostgreSQL server. Whenever it waits for the server, Ctrl-C stops
// the wait and cancels the statement on the server.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/postgres/address.hpp"
#include "data/table/postgres/libpq.hpp"

namespace otss::internal::postgres {

// An error that the server reports. The code that catches a Failure knows what the user wanted to
// do, and throws an otss::Error instead.
class Failure : public std::runtime_error {
 public:
  Failure(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}
  const std::string& state() const { return state_; }  // the SQLSTATE, such as "42P01"

 private:
  std::string state_;
};

struct DestroyResult {
  void operator()(PGresult* result) const { libpq().PQclear(result); }
};
using Result = std::unique_ptr<PGresult, DestroyResult>;

class Session {
 public:
  // Connects to the server. Throws an Error if this fails.
  explicit Session(const Address& address);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Address& address() const { return address_; }

  // The server may let the program wait this long in one statement, in all.
  void limit_seconds(double seconds) { limit_ = std::chrono::duration<double>(seconds); }

  // Runs one statement and returns its last result. `values` are the values of $1, $2, ….
  Result execute(const std::string& sql, const std::vector<std::string>& values = {});

  // Returns the names and types of the columns of a SELECT, as the columns of a result without rows.
  Result describe(const std::string& select);

  // Begins a statement COPY … TO STDOUT.
  void begin_copy_out(const std::string& sql);
  // Returns the next message of the copy. It is valid until the next call. The message is empty
  // after the last one.
  std::string_view next_copied();
  // Ends a copy before its last message. Afterwards the session can be used again.
  void abandon_copy();

  void begin_copy_in(const std::string& sql);  // begins a statement COPY … FROM STDIN
  void send_copied(std::string_view bytes);
  void end_copy_in();

  // Makes a wait of another thread end with an Error.
  void close() { closed_ = true; }

 private:
  void connect();
  void check_sent(int sent);
  void check_put(int sent);
  void flush();
  void begin_copy(const std::string& sql, ExecStatusType expected);
  Result next_result();
  Result last_result();
  void wait(short events);
  void stop_if_asked();
  void cancel();
  [[noreturn]] void lost() const;

  const Libpq& pq_;
  Address address_;
  PGconn* connection_ = nullptr;
  char* copied_ = nullptr;  // the message that next_copied() has returned
  std::chrono::duration<double> limit_ = std::chrono::duration<double>::max();
  std::chrono::duration<double> waited_{0};  // the time spent waiting in the current statement
  std::atomic<bool> closed_ = false;
};

}  // namespace otss::internal::postgres
