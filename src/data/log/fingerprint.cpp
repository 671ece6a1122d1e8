#include "data/log/fingerprint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/ranks/message.hpp"
#include "data/log/isa/strip_kernel.hpp"

namespace otss::internal {
namespace {

// Combines the two halves of the 128-bit product of `a` and `b`, so that one multiplication mixes
// all 64 bits. This is the mixing step of the hash function wyhash.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  if (text.data() == nullptr) return 0;
  std::uint64_t hash = mix(text.size() ^ kHashFirst, kHashRow);
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
    hash = mix(hash ^ word, kHashSecond) + word;
  }
  return hash;
}

void Fingerprint::add_numbers(std::size_t column, std::size_t first_row,
                              std::span<const double> values) {
  columns_[column] += strip_kernel(active_isa()).hash(values.data(), values.size(), first_row);
}

void Fingerprint::add_text(std::size_t column, std::size_t row, std::uint64_t text_hash) {
  columns_[column] += mix(text_hash ^ kHashFirst, (row + 1) * kHashRow) + text_hash;
}

void Fingerprint::add(const Fingerprint& other) {
  num_rows_ += other.num_rows_;
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] += other.columns_[i];
}

std::vector<std::uint64_t> Fingerprint::state() const {
  std::vector<std::uint64_t> state = columns_;
  state.push_back(num_rows_);
  return state;
}

Fingerprint Fingerprint::from_state(const std::vector<std::uint64_t>& state) {
  Fingerprint fingerprint(state.size() - 1);
  std::copy(state.begin(), state.end() - 1, fingerprint.columns_.begin());
  fingerprint.num_rows_ = state.back();
  return fingerprint;
}

void Fingerprint::add_ranks(Ranks& ranks) {
  const std::string all = ranks.fold([&](const std::string& before) {
    Fingerprint sum = *this;
    if (!before.empty()) {
      MessageReader reader(before);
      sum.add(from_state(reader.get<std::vector<std::uint64_t>>()));
    }
    MessageWriter writer;
    writer.put(sum.state());
    return std::move(writer).take();
  });
  MessageReader reader(all);
  *this = from_state(reader.get<std::vector<std::uint64_t>>());
}

std::string Fingerprint::hex(const std::vector<std::string>& names) const {
  std::uint64_t hash = mix(num_rows_ ^ kHashRow, kHashFirst);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    hash = mix(hash ^ hash_text(names[i]), kHashFirst) ^ hash;
    hash = mix(hash ^ columns_[i], kHashSecond) ^ hash;
  }
  return fmt::format("{:016x}", hash);
}

std::string fingerprint_of_rows(const std::string& whole, std::size_t num_rows,
                                std::span<const std::size_t> rows) {
  std::size_t in_place = 0;
  std::uint64_t hash = mix(hash_text(whole) ^ rows.size(), kHashFirst);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == i) ++in_place;
    hash = mix(hash ^ (rows[i] + 1) * kHashRow, kHashSecond) + hash;
  }
  return in_place == num_rows && rows.size() == num_rows ? whole : fmt::format("{:016x}", hash);
}

}  // namespace otss::internal
