#include "data/log/text_codes.hpp"

#include <gmock/gmock.h>

#include "data/log/fingerprint.hpp"

namespace otss::internal {
namespace {

TEST(TextCodes, OfManyTextsAreThoseOfOneTextAfterTheOther) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("unit " + std::to_string(i * i % 3001));
  // A hash of few values makes many texts share a slot.
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{15}}) {
    const std::vector<std::string_view> texts(names.begin(), names.end());
    std::vector<std::uint64_t> hashes;
    for (const std::string_view text : texts) hashes.push_back(hash_text(text) & mask);
    TextCodes one, many;
    std::vector<std::uint32_t> expected, found(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
      expected.push_back(one.code(texts[i], hashes[i]));
    const std::size_t half = texts.size() / 2;
    const auto add = [&](std::size_t first, std::size_t count) {
      many.add(std::span(texts).subspan(first, count), std::span(hashes).subspan(first, count),
               std::span(found).subspan(first, count));
    };
    add(0, half);
    add(half, texts.size() - half);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(many.texts(), one.texts());
  }
}

}  // namespace
}  // namespace otss::internal
