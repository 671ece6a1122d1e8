#include "data/table/postgres/session.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <array>
#include <new>
#include <utility>

#include "base/interrupt.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// The longest time to connect to a server.
constexpr auto kConnectSeconds = std::chrono::seconds(60);

std::string first_line(const char* message) {
  const std::string_view text = message == nullptr ? "" : message;
  return std::string(text.substr(0, text.find('\n')));
}

void ignore_notice(void*, const char*) {}

}  // namespace

Session::Session(const Address& address) : pq_(libpq()), address_(address) {
  try {
    connect();
  } catch (...) {
    pq_.PQfinish(connection_);
    throw;
  }
}

Session::~Session() {
  pq_.PQfreemem(copied_);
  pq_.PQfinish(connection_);
}

void Session::connect() {
  const std::array<const char*, 4> keywords{"dbname", "client_encoding",
                                            "fallback_application_name", nullptr};
  const std::array<const char*, 4> values{address_.server.c_str(), "UTF8", "otss", nullptr};
  // The last argument says that the value of dbname is an address.
  connection_ = pq_.PQconnectStartParams(keywords.data(), values.data(), 1);
  if (connection_ == nullptr) throw std::bad_alloc();
  pq_.PQsetNoticeProcessor(connection_, ignore_notice, nullptr);
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot connect to '{}': {}; check the address and that the server "
                            "runs; passwords come from PGPASSWORD, ~/.pgpass or a service file",
                            address_.name, reason));
  };
  const auto started = Clock::now();
  auto state = PGRES_POLLING_WRITING;
  while (pq_.PQstatus(connection_) != CONNECTION_BAD && state != PGRES_POLLING_OK) {
    if (state == PGRES_POLLING_FAILED) break;
    // libpq may change the socket while it connects, so this wait does not use wait().
    pollfd waiting{pq_.PQsocket(connection_),
                   static_cast<short>(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    const bool is_ready = poll(&waiting, 1, 100) > 0;
    check_interrupt();
    if (Clock::now() - started > kConnectSeconds) refuse("the server does not answer");
    if (is_ready) state = pq_.PQconnectPoll(connection_);
  }
  if (state != PGRES_POLLING_OK) refuse(first_line(pq_.PQerrorMessage(connection_)));
  pq_.PQsetnonblocking(connection_, 1);
}

void Session::lost() const {
  throw Error(ErrorCode::kIo,
              fmt::format("the connection to '{}' was lost: {}; run the command again",
                          address_.name, first_line(pq_.PQerrorMessage(connection_))));
}

void Session::cancel() {
  PGcancel* request = pq_.PQgetCancel(connection_);
  std::array<char, 256> reason{};
  if (request != nullptr) pq_.PQcancel(request, reason.data(), static_cast<int>(reason.size()));
  pq_.PQfreeCancel(request);
}

void Session::stop_if_asked() {
  if (!closed_ && !is_interrupted() && waited_ <= limit_) return;
  cancel();
  check_interrupt();
  if (closed_) throw Error(ErrorCode::kInterrupted, "the table is no longer read");
  throw Error(ErrorCode::kFailed,
              fmt::format("--query on '{}' takes longer than {} seconds; simplify the query, or "
                          "raise the limit with --query-seconds",
                          address_.name, limit_.count()));
}

void Session::wait(short events) {
  constexpr int kMilliseconds = 100;
  pollfd waiting{pq_.PQsocket(connection_), events, 0};
  const auto started = Clock::now();
  const auto before = waited_;
  bool is_ready = false;
  while (!is_ready) {
    is_ready = poll(&waiting, 1, kMilliseconds) > 0;
    waited_ = before + (Clock::now() - started);
    stop_if_asked();
  }
}

void Session::check_sent(int sent) {
  waited_ = {};
  if (sent == 0) lost();
  flush();
}

// Sends what libpq has buffered.
void Session::flush() {
  while (true) {
    const int left = pq_.PQflush(connection_);
    if (left == 0) return;
    if (left < 0) lost();
    wait(POLLIN | POLLOUT);
    // The server may wait until the program has taken what the server has sent.
    if (pq_.PQconsumeInput(connection_) == 0) lost();
  }
}

Result Session::next_result() {
  while (pq_.PQisBusy(connection_) != 0) {
    wait(POLLIN);
    if (pq_.PQconsumeInput(connection_) == 0) lost();
  }
  return Result(pq_.PQgetResult(connection_));
}

// Returns the last result of a statement. Throws a Failure if one of its results is an error.
Result Session::last_result() {
  Result last;
  std::string state, message;
  while (Result result = next_result()) {
    if (pq_.PQresultStatus(result.get()) == PGRES_FATAL_ERROR && message.empty()) {
      const char* code = pq_.PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
      const char* primary = pq_.PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
      if (code == nullptr || primary == nullptr) lost();
      state = code;
      message = first_line(primary);
    }
    last = std::move(result);
  }
  if (!message.empty()) throw Failure(state, message);
  return last;
}

Result Session::execute(const std::string& sql, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  check_sent(pq_.PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(texts.size()),
                                   nullptr, texts.data(), nullptr, nullptr, 0));
  return last_result();
}

Result Session::describe(const std::string& select) {
  check_sent(pq_.PQsendPrepare(connection_, "", select.c_str(), 0, nullptr));
  last_result();
  check_sent(pq_.PQsendDescribePrepared(connection_, ""));
  return last_result();
}

void Session::begin_copy(const std::string& sql, ExecStatusType expected) {
  check_sent(
      pq_.PQsendQueryParams(connection_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  const Result result = next_result();
  if (pq_.PQresultStatus(result.get()) == expected) return;
  const char* code = pq_.PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  const char* message = pq_.PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
  if (code == nullptr || message == nullptr) lost();
  const Failure failure(code, first_line(message));
  while (next_result()) {
  }
  throw failure;
}

void Session::begin_copy_out(const std::string& sql) { begin_copy(sql, PGRES_COPY_OUT); }

void Session::begin_copy_in(const std::string& sql) { begin_copy(sql, PGRES_COPY_IN); }

std::string_view Session::next_copied() {
  pq_.PQfreemem(std::exchange(copied_, nullptr));
  while (true) {
    const int size = pq_.PQgetCopyData(connection_, &copied_, 1);
    if (size > 0) return {copied_, static_cast<std::size_t>(size)};
    if (size == -2) lost();
    if (size == -1) {
      last_result();
      return {};
    }
    wait(POLLIN);
    if (pq_.PQconsumeInput(connection_) == 0) lost();
  }
}

void Session::abandon_copy() {
  cancel();
  try {
    while (!next_copied().empty()) {
    }
  } catch (const Failure&) {  // NOLINT(bugprone-empty-catch): the server says that it has stopped
  }
}

// Checks the answer of libpq to a part of a copy. If the server has refused an earlier part, throws
// the server's Failure.
void Session::check_put(int sent) {
  waited_ = {};
  if (sent > 0) return flush();
  last_result();
  lost();
}

void Session::send_copied(std::string_view bytes) {
  check_put(pq_.PQputCopyData(connection_, bytes.data(), static_cast<int>(bytes.size())));
}

void Session::end_copy_in() {
  check_put(pq_.PQputCopyEnd(connection_, nullptr));
  last_result();
}

}  // namespace otss::internal::postgres
