// Gives each distinct text a number (its code): 0, 1, 2, … in the order in which texts first
// appear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

// A hash table with open addressing. The caller passes the hash of a text, because the caller
// computes this hash for the fingerprint anyway.
class TextCodes {
 public:
  std::uint32_t code(std::string_view text, std::uint64_t hash);
  std::size_t size() const { return texts_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  void grow();

  // Code + 1, or 0 for a free slot.
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace otss::internal
