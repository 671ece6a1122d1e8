#include "model/onnx/proto_message.hpp"

namespace otss::internal {
namespace {

// The kinds of field that are used here, by the numbers of the wire format.
enum class WireType : std::uint8_t { kVarint = 0, kLength = 2 };

std::uint64_t wire_tag(int field, WireType type) {
  return static_cast<std::uint64_t>(field) << 3U | static_cast<std::uint64_t>(type);
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::integer(int field, std::int64_t value) {
  varint(wire_tag(field, WireType::kVarint));
  varint(static_cast<std::uint64_t>(value));
}

void ProtoMessage::text(int field, std::string_view bytes) {
  varint(wire_tag(field, WireType::kLength));
  varint(bytes.size());
  bytes_ += bytes;
}

}  // namespace otss::internal
