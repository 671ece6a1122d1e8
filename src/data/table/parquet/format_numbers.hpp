// Numbers that the specification of Parquet fixes
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
#pragma once

#include <cstdint>
#include <string_view>

namespace otss::internal::parquet {

// The file begins and ends with it.
inline constexpr std::string_view kMagic = "PAR1";

// PageType
inline constexpr std::int32_t kDataPage = 0, kDictionaryPage = 2;

// Encoding
inline constexpr std::int32_t kPlain = 0, kBitRuns = 3, kDictionaryCodes = 8;

// FieldRepetitionType
inline constexpr std::int32_t kOptional = 1;

// CompressionCodec
inline constexpr std::int32_t kUncompressed = 0, kSnappy = 1;

}  // namespace otss::internal::parquet
