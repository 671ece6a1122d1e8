#include "report/json/packed_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/json/shown_numbers.hpp"

namespace otss::internal {

std::string base64_text(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) { return at < bytes.size() ? bytes[at] : 0U; };
    const unsigned bits = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (unsigned shift : {18U, 12U, 6U, 0U}) text += kDigits[bits >> shift & 63U];
  }
  for (std::size_t i = 0; i < (3 - bytes.size() % 3) % 3; ++i) text[text.size() - 1 - i] = '=';
  return text;
}

Json packed_matrix(std::span<const double> matrix, std::size_t num_columns, PackedCenter center) {
  constexpr double kLargest = 32767;
  std::vector<unsigned char> bytes;
  std::vector<double> centers, scales;
  for (std::size_t first = 0; first < matrix.size(); first += num_columns) {
    const auto row = matrix.subspan(first, num_columns);
    const double mean =
        center == PackedCenter::kZero
            ? 0
            : std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(num_columns);
    double largest = 0;
    for (const double value : row) largest = std::max(largest, std::abs(value - mean));
    const double scale = largest / kLargest;
    centers.push_back(mean);
    scales.push_back(scale);
    for (const double value : row) {
      const auto steps =
          static_cast<std::int16_t>(scale > 0 ? std::round((value - mean) / scale) : 0);
      const auto bits = static_cast<std::uint16_t>(steps);
      bytes.push_back(static_cast<unsigned char>(bits & 255U));
      bytes.push_back(static_cast<unsigned char>(bits >> 8U));
    }
  }
  return {{"rows", scales.size()},
          {"columns", num_columns},
          {"center", center == PackedCenter::kZero ? Json() : Json(centers)},
          {"scale", scales},
          {"int16", base64_text(bytes)}};
}

}  // namespace otss::internal
