#include "data/log/text_codes.hpp"

namespace otss::internal {

std::uint32_t TextCodes::code(std::string_view text, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t found = slots_[slot] - 1;
    if (hashes_[found] == hash && texts_[found] == text) return found;
  }
  texts_.emplace_back(text);
  hashes_.push_back(hash);
  slots_[slot] = static_cast<std::uint32_t>(texts_.size());
  if (texts_.size() * 2 > slots_.size()) grow();
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

std::optional<std::uint32_t> TextCodes::find(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t found = slots_[slot] - 1;
    if (hashes_[found] == hash && texts_[found] == text) return found;
  }
  return std::nullopt;
}

void TextCodes::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t code = 0; code < hashes_.size(); ++code) {
    std::size_t slot = hashes_[code] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(code + 1);
  }
}

}  // namespace otss::internal
