#include "data/log/text_codes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "data/log/fingerprint.hpp"

namespace otss::internal {
namespace {

// A distinct text among the rows that are added together.
struct NewText {
  std::size_t row;  // the first of these rows with the text
  std::uint64_t hash;
  std::size_t num_rows = 0;
};

// Finds the distinct texts of a few rows. On return, `codes` has the position of each row's text in
// the result. No text is copied.
std::vector<NewText> distinct_texts(std::span<const std::string_view> texts,
                                    std::span<std::uint32_t> codes) {
  std::vector<NewText> found;
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * texts.size() + 1), 0);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    if (texts[row].data() == nullptr) {
      codes[row] = kNoCode;
      continue;
    }
    const std::uint64_t hash = hash_text(texts[row]);
    std::size_t slot = hash & mask;
    const auto is_other = [&](const NewText& known) {
      return known.hash != hash || texts[known.row] != texts[row];
    };
    while (slots[slot] != 0 && is_other(found[slots[slot] - 1])) slot = (slot + 1) & mask;
    if (slots[slot] == 0) {
      found.push_back({row, hash});
      slots[slot] = static_cast<std::uint32_t>(found.size());
    }
    codes[row] = slots[slot] - 1;
    ++found[codes[row]].num_rows;
  }
  return found;
}

}  // namespace

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

void TextCodes::add(std::span<const std::string_view> texts, std::span<const std::uint64_t> hashes,
                    std::span<std::uint32_t> codes) {
  // Each loop reads memory at places that do not depend on the previous turn of the loop. A text that
  // is not in the first slot of its hash is left to code().
  for (std::size_t i = 0; i < texts.size(); ++i) codes[i] = slots_[hashes[i] & (slots_.size() - 1)];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (codes[i] != 0 && hashes_[codes[i] - 1] != hashes[i]) codes[i] = 0;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool found = codes[i] != 0 && texts_[codes[i] - 1] == texts[i];
    codes[i] = found ? codes[i] - 1 : code(texts[i], hashes[i]);
  }
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

std::size_t SharedTextCodes::add(std::span<const std::string_view> texts, std::size_t first_row,
                                 std::span<std::uint32_t> codes) {
  const std::vector<NewText> found = distinct_texts(texts, codes);
  std::vector<std::uint32_t> code_of(found.size());
  std::size_t num_codes = 0;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t row = first_row + found[i].row;
      code_of[i] = codes_.code(texts[found[i].row], found[i].hash);
      if (code_of[i] == levels_.size()) levels_.push_back({.first_row = row});
      TextLevel& level = levels_[code_of[i]];
      level.first_row = std::min(level.first_row, row);
      level.num_rows += static_cast<double>(found[i].num_rows);
    }
    num_codes = codes_.size();
  }
  for (std::uint32_t& code : codes) {
    if (code != kNoCode) code = code_of[code];
  }
  return num_codes;
}

std::vector<std::uint32_t> SharedTextCodes::by_first_row() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> codes(levels_.size());
  std::iota(codes.begin(), codes.end(), 0U);
  const auto first_row = [&](auto code) { return levels_[code].first_row; };
  if (!std::ranges::is_sorted(codes, {}, first_row)) std::ranges::sort(codes, {}, first_row);
  return codes;
}

SharedTextCodes::Sorted SharedTextCodes::sorted() const {
  Sorted result;
  result.codes = by_first_row();
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t code : result.codes) {
    result.texts.push_back(codes_.texts()[code]);
    result.levels.push_back(levels_[code]);
  }
  return result;
}

}  // namespace otss::internal
