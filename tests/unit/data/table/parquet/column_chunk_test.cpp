#include "data/table/parquet/column_chunk.hpp"

#include <gtest/gtest.h>

#include <random>

#include "data/table/parquet/bit_runs.hpp"

namespace otss::internal::parquet {
namespace {

// Values of a type, some of them missing. `num_different` values make a dictionary if they are few.
PlainValues random_values(Storage storage, std::size_t num_rows, unsigned num_different,
                          unsigned percent_missing, std::mt19937& random) {
  PlainValues values{.storage = storage};
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (random() % 100 < percent_missing) {
      values.add_missing();
      continue;
    }
    std::string bytes = std::to_string(random() % num_different) + "................";
    bytes.resize(width_of(storage));
    if (storage == Storage::kBoolean) bytes[0] = static_cast<char>(random() % 2);
    values.add(bytes);
  }
  return values;
}

TEST(ColumnChunk, GivesBackItsValues) {
  std::mt19937 random(900'133);  // NOLINT: a fixed seed
  for (const Storage storage :
       {Storage::kBoolean, Storage::kInt32, Storage::kUint64, Storage::kDouble}) {
    for (const std::size_t num_rows : {1U, 7U, 3'000U}) {
      for (const unsigned num_different : {1U, 5U, 100'000U}) {
        for (const unsigned percent_missing : {0U, 30U, 100U}) {
          const PlainValues values =
              random_values(storage, num_rows, num_different, percent_missing, random);
          const ColumnChunk chunk = encode(values);
          EXPECT_EQ(chunk.facts.num_bytes, chunk.head.size() + chunk.body.size());
          const PlainValues read = decode(chunk.head + chunk.body, chunk.facts);
          EXPECT_EQ(read.bytes, values.bytes);
          EXPECT_EQ(read.num_rows, values.num_rows);
          EXPECT_EQ(read.present, values.present);
        }
      }
    }
  }
}

TEST(BitRuns, GiveBackNumbersOfEveryWidth) {
  std::mt19937 random(900'134);  // NOLINT: a fixed seed
  for (int bits = 1; bits <= 20; ++bits) {
    for (const std::size_t count : {0U, 1U, 8U, 100U}) {
      std::vector<std::uint32_t> numbers(count);
      for (std::uint32_t& number : numbers)
        number = static_cast<std::uint32_t>(random() % (1U << bits));
      std::string bytes;
      append_bits(bytes, numbers, bits);
      EXPECT_EQ(read_bits(bytes, count, bits), numbers);
    }
  }
  EXPECT_EQ(bits_for(0), 1);
  EXPECT_EQ(bits_for(255), 8);
  EXPECT_EQ(bits_for(256), 9);
}

}  // namespace
}  // namespace otss::internal::parquet
