// A packed matrix takes 2.7 characters per number instead of about 9. It is for numbers that need
// not be exact, such as draws of parameters (docs/reference/facts.md).
#pragma once

#include <span>

#include "base/json.hpp"

namespace otss::internal {

enum class PackedCenter {
  kZero,       // each row is rounded relative to its largest entry
  kMeanOfRow,  // each row is rounded relative to its largest distance from its mean
};

// `matrix` has rows of `num_columns` entries.
Json packed_matrix(std::span<const double> matrix, std::size_t num_columns, PackedCenter center);

// Returns the bytes as base64 text (RFC 4648, with padding).
std::string base64_text(std::span<const unsigned char> bytes);

}  // namespace otss::internal
