// A ProtoMessage is written in the wire format of protocol buffers
// (https://protobuf.dev/programming-guides/encoding), in which ONNX files are stored. Writing needs
// so little of this format that the program does without the protobuf library. docs/adr/0029 says
// why; the tests read the files with that library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace otss::internal {

class ProtoMessage {
 public:
  // Each function appends one field. `field` is the number of the field in the message's definition.
  // A repeated field is appended once per value.
  void integer(int field, std::int64_t value);
  void text(int field, std::string_view bytes);
  void message(int field, const ProtoMessage& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace otss::internal
