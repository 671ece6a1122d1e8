// Eight doubles on a cache line of their own: what packed matrices are made of. Every instruction
// set's vector divides it, so one packing serves all kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace otss {

inline constexpr std::size_t kOctet = 8;

struct alignas(64) Octet {
  double lanes[kOctet] = {};
};

using OctetVector = std::vector<Octet>;  // aligned as Octet asks, since C++17

inline constexpr std::size_t octets_for(std::size_t count) { return (count + kOctet - 1) / kOctet; }

}  // namespace otss
