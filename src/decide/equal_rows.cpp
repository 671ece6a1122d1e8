#include "decide/equal_rows.hpp"

#include <unordered_map>

namespace otss::internal {

std::string bits_of(std::span<const double> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::size_t> first_equal_rows(std::span<const double> matrix, std::size_t num_rows) {
  const std::size_t width = num_rows == 0 ? 0 : matrix.size() / num_rows;
  std::unordered_map<std::string, std::size_t> first;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < num_rows; ++i)
    result.push_back(first.try_emplace(bits_of(matrix.subspan(i * width, width)), i).first->second);
  return result;
}

}  // namespace otss::internal
