// An Address says where a table of a PostgreSQL database is.
#pragma once

#include <string>

namespace otss::internal::postgres {

struct Address {
  std::string server;  // the address for libpq; may contain a password
  std::string schema;  // empty: the table is found by the search path of the server
  std::string table;   // empty: the address names no table
  std::string name;    // the address for messages, without user name and password

  // Returns the name of the table as SQL writes it, such as "sales"."orders".
  std::string table_sql() const;
};

// Parses a table argument such as postgresql://host:5432/database#schema.table. Throws an Error
// without any part of a password if the argument is not such an address.
Address parse_address(const std::string& argument);

// Returns a name between quotation marks, as SQL needs it.
std::string quoted_identifier(const std::string& name);

}  // namespace otss::internal::postgres
