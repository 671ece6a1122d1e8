// This header finds equal contexts, so that their decisions are computed once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace otss::internal {

// Returns the bytes of the numbers as a key. Two lists have the same key exactly if all their bits
// are the same.
std::string bits_of(std::span<const double> numbers);

// Returns, for each row of a row-major matrix, the first row that has the same bits.
std::vector<std::size_t> first_equal_rows(std::span<const double> matrix, std::size_t num_rows);

}  // namespace otss::internal
