// This header gives each distinct text of a column a number, its code. Codes are 0, 1, 2, …
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/text_levels.hpp"

namespace otss::internal {

// This is a hash table with open addressing. Codes follow the order in which the texts first
// appear. The caller passes the hash of a text, because the caller has already computed it.
class TextCodes {
 public:
  std::uint32_t code(std::string_view text, std::uint64_t hash);
  // Writes the codes of several texts to `codes`, as code() does for one text after the other. The
  // memory that the texts need is fetched for many texts at the same time, which is several times
  // as fast if there are more distinct texts than a processor's cache holds.
  void add(std::span<const std::string_view> texts, std::span<const std::uint64_t> hashes,
           std::span<std::uint32_t> codes);
  // Returns the code of a text that has one, and nothing for another text.
  std::optional<std::uint32_t> find(std::string_view text, std::uint64_t hash) const;
  std::size_t size() const { return texts_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }  // the hash of each text

 private:
  void grow();

  // A used slot holds the code of its text plus 1. A free slot holds 0.
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
};

// The code of a missing text.
inline constexpr std::uint32_t kNoCode = 0xFFFFFFFFU;

// The distinct texts of a column that several threads read at the same time. If one thread adds all
// rows in order, codes follow the order in which the texts first appear. Otherwise codes depend on
// the order in which threads add rows, but sorted() depends on it only through the codes.
class SharedTextCodes {
 public:
  // Writes the code of each text to `codes`; a missing text (data() == nullptr) gets kNoCode.
  // `first_row` is the row number of the first text. Returns the number of distinct texts so far.
  std::size_t add(std::span<const std::string_view> texts, std::size_t first_row,
                  std::span<std::uint32_t> codes);

  // The distinct texts so far, sorted by the first row with this text.
  struct Sorted {
    std::vector<std::uint32_t> codes;
    std::vector<std::string> texts;
    std::vector<TextLevel> levels;  // the weights are not filled in
  };
  Sorted sorted() const;
  // Returns Sorted::codes, without the memory for the rest.
  std::vector<std::uint32_t> by_first_row() const;

  // Returns the texts by code. Call this function only while no thread adds texts.
  const std::vector<std::string>& texts() const { return codes_.texts(); }

 private:
  mutable std::mutex mutex_;  // protects the members below
  TextCodes codes_;
  std::vector<TextLevel> levels_;
};

}  // namespace otss::internal
