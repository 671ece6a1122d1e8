#include "otss/base/ranks.hpp"

#include "base/ranks/message.hpp"

namespace otss {

using namespace internal;

std::vector<std::uint64_t> summed_counts(Ranks& ranks, std::vector<std::uint64_t> counts) {
  const std::string all = ranks.fold([&](const std::string& before) {
    if (!before.empty()) {
      const auto earlier = MessageReader(before).get<std::vector<std::uint64_t>>();
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += earlier[i];
    }
    MessageWriter writer;
    writer.put(counts);
    return std::move(writer).take();
  });
  return MessageReader(all).get<std::vector<std::uint64_t>>();
}

}  // namespace otss
