// TextCodes gives each distinct text a number, its code. Codes are 0, 1, 2, … in the order in which
// the texts first appear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

// This is a hash table with open addressing. The caller passes the hash of a text, because the
// caller has already computed this hash for the fingerprint.
class TextCodes {
 public:
  std::uint32_t code(std::string_view text, std::uint64_t hash);
  // Returns the code of a text that has one, and nothing for another text.
  std::optional<std::uint32_t> find(std::string_view text, std::uint64_t hash) const;
  std::size_t size() const { return texts_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  void grow();

  // A used slot holds the code of its text plus 1. A free slot holds 0.
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace otss::internal
