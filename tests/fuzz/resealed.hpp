// A mutator of model files that computes their checksum again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace otss::fuzz {

// Mutates a model file in place: its JSON document, value by value, or now and then its bytes.
// Returns the new size. The document gets a valid checksum, if it is one.
std::size_t mutate_and_reseal(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed);

}  // namespace otss::fuzz
