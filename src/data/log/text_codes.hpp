// Distinct texts as dense numbers, in order of first appearance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

// A hash table with open addressing. It takes the hash that the caller needs for the fingerprint
// anyway.
class TextCodes {
 public:
  std::uint32_t code(std::string_view text, std::uint64_t hash);
  std::size_t size() const { return texts_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  void grow();

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);  // code + 1; 0 is free
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace otss
