#include "data/table/postgres/address.hpp"

#include <fmt/core.h>

#include "data/table/postgres/libpq.hpp"
#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"
#include "otss/data/table.hpp"

namespace otss {

bool is_database(const std::string& path) {
  return path.starts_with("postgresql://") || path.starts_with("postgres://");
}

}  // namespace otss

namespace otss::internal::postgres {
namespace {

// The message shows no part of the address, because a misplaced character can make a part of the
// password look like a host or a port.
Error bad_address(const std::string& problem) {
  return {ErrorCode::kUsage,
          fmt::format("a postgresql:// address {}; write postgresql://host:port/database#table, "
                      "with @ in a name as %40, # as %23, / as %2F and a space as %20",
                      problem)};
}

// Returns true if the parsed address has a port that is not a number. It may be a part of a password.
bool has_strange_port(const PQconninfoOption* option) {
  for (; option->keyword != nullptr; ++option) {
    if (std::string_view(option->keyword) != "port" || option->val == nullptr) continue;
    return std::string_view(option->val).find_first_not_of("0123456789,") != std::string_view::npos;
  }
  return false;
}

void check_server(const std::string& server) {
  const Libpq& pq = libpq();
  char* reason = nullptr;
  PQconninfoOption* options = pq.PQconninfoParse(server.c_str(), &reason);
  pq.PQfreemem(reason);
  const bool is_good = options != nullptr && !has_strange_port(options);
  pq.PQconninfoFree(options);
  if (!is_good) throw bad_address("cannot be understood");
}

// Checks the characters that separate the parts of the address.
void check_separators(const std::string& argument) {
  if (argument.find_first_of(" \t\r\n") != std::string::npos)
    throw bad_address("contains a space or a line break");
  const std::size_t first = argument.find('@');
  if (first == std::string::npos) return;
  if (argument.find('@', first + 1) != std::string::npos)
    throw bad_address("contains @ more than once");
  const std::size_t user = argument.find("//") + 2;
  if (argument.find_first_of("/?#", user) < first)
    throw bad_address("contains one of / ? # before @");
}

}  // namespace

std::string quoted_identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string Address::table_sql() const {
  return (schema.empty() ? "" : quoted_identifier(schema) + ".") + quoted_identifier(table);
}

Address parse_address(const std::string& argument) {
  check_separators(argument);
  const std::size_t fragment = argument.find('#');
  Address address{.server = argument.substr(0, fragment), .name = without_passwords(argument)};
  check_server(address.server);
  if (fragment == std::string::npos) return address;
  address.table = argument.substr(fragment + 1);
  if (const auto dot = address.table.find('.'); dot != std::string::npos) {
    address.schema = address.table.substr(0, dot);
    address.table.erase(0, dot + 1);
  }
  if (address.table.empty()) throw bad_address("has no table after #");
  return address;
}

}  // namespace otss::internal::postgres
