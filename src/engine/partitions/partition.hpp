// A Partition holds the encoded rows of one part of a log, in a worker of a cluster, and answers what
// PartitionRows asks. Requests and answers are bytes, so that they can cross between processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/parts/read_part.hpp"
#include "engine/chunk_sums.hpp"
#include "engine/row_chunks.hpp"
#include "engine/sum_request.hpp"

namespace otss::internal {

enum class PartitionQuestion {
  kLabels,       // what PartitionLabels has
  kSum,          // the sums of the chunks
  kGroupScores,  // Rows::group_scores without group_correction, as one chunk
  kRows,         // a copy of some rows (rows_as_bytes)
};

struct PartitionRequest {
  PartitionQuestion question = PartitionQuestion::kLabels;
  SumTarget target = {};               // of kSum and kGroupScores
  SumRequest sum = {};                 // of kSum and kGroupScores
  std::vector<std::size_t> rows = {};  // of kRows: sorted row numbers within the partition

  std::string bytes() const;
  static PartitionRequest from_bytes(std::string_view bytes);
};

// What is known about each row of a partition besides its features and its outcome.
struct PartitionLabels {
  std::size_t num_rows = 0;
  std::vector<float> weights;               // empty if every row has weight 1
  std::vector<double> times;                // empty if the log has no times
  std::vector<std::uint32_t> groups;        // empty if the log has no groups
  std::vector<std::uint64_t> group_hashes;  // one per group
  std::vector<std::uint64_t> fingerprint;   // Fingerprint::state()

  std::string bytes() const;
  static PartitionLabels from_bytes(std::string_view bytes);
};

// Returns the factor G / (G - 1) by which group_outer_products multiplies a sum over G groups.
double group_correction(std::size_t num_groups);

std::string bytes_of(const ChunkSums& sums);
ChunkSums sums_from_bytes(std::string_view bytes);

class Partition {
 public:
  explicit Partition(EncodedPart part) : part_(std::move(part)) {}

  // Answers a request. Several threads may ask, but one waits for the other.
  std::string answer(std::string_view request);

  const EncodedPart& part() const { return part_; }

 private:
  const RowChunks& chunks(const SumTarget& target);

  EncodedPart part_;
  std::mutex mutex_;
  std::optional<RowChunks> chunks_;
  SumTarget target_;  // what `chunks_` is about
};

}  // namespace otss::internal
