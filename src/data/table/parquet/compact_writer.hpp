// Writes values in the compact protocol of Apache Thrift, the format of the metadata of a Parquet
// file (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal::parquet {

// Appends one struct. Fields must be written in the order of their numbers.
class CompactWriter {
 public:
  explicit CompactWriter(std::string& bytes) : bytes_(bytes) {}

  void add(int field, std::int32_t value);
  void add(int field, std::int64_t value);
  void add(int field, bool value);
  void add(int field, std::string_view value);
  void begin_struct(int field);  // the fields that follow are those of the inner struct
  void end_struct();             // ends an inner struct, an element of a list, or the whole struct

  void begin_structs(int field, std::size_t count);  // each element is begin_element … end_struct
  void begin_element();
  void add_list(int field, const std::vector<std::int32_t>& values);
  void add_list(int field, const std::vector<std::string>& values);

 private:
  void begin_field(int field, int type);
  void begin_list(int field, int type, std::size_t count);

  std::string& bytes_;
  std::vector<int> last_fields_{0};  // the last field of each open struct
};

// Appends a number in groups of seven bits, the low ones first.
void append_varint(std::string& bytes, std::uint64_t value);

}  // namespace otss::internal::parquet
