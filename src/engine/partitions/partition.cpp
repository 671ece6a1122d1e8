#include "engine/partitions/partition.hpp"

#include "base/ranks/message.hpp"

namespace otss::internal {
namespace {

bool same(const SumTarget& a, const SumTarget& b) {
  return a.family.kind() == b.family.kind() && a.units.center == b.units.center &&
         a.units.scale == b.units.scale && a.quadratic == b.quadratic;
}

template <class Value>
std::vector<Value> copied(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

}  // namespace

std::string PartitionRequest::bytes() const {
  MessageWriter writer;
  writer.put(question);
  writer.put(target.family.kind());
  writer.put(target.units);
  writer.put(target.quadratic);
  put(writer, sum);
  writer.put(rows);
  return std::move(writer).take();
}

PartitionRequest PartitionRequest::from_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  PartitionRequest request;
  reader.get(request.question);
  request.target.family = reader.get<OutputFamily::Kind>();
  reader.get(request.target.units);
  reader.get(request.target.quadratic);
  request.sum = get_sum_request(reader);
  reader.get(request.rows);
  return request;
}

std::string PartitionLabels::bytes() const {
  MessageWriter writer;
  writer.put(num_rows);
  writer.put(weights);
  writer.put(times);
  writer.put(groups);
  writer.put(group_hashes);
  writer.put(fingerprint);
  return std::move(writer).take();
}

PartitionLabels PartitionLabels::from_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  PartitionLabels labels;
  reader.get(labels.num_rows);
  reader.get(labels.weights);
  reader.get(labels.times);
  reader.get(labels.groups);
  reader.get(labels.group_hashes);
  reader.get(labels.fingerprint);
  return labels;
}

double group_correction(std::size_t num_groups) {
  const auto count = static_cast<double>(num_groups);
  return count > 1 ? count / (count - 1) : 1;
}

std::string bytes_of(const ChunkSums& sums) {
  MessageWriter writer;
  writer.put(sums.size);
  writer.put(sums.values);
  return std::move(writer).take();
}

ChunkSums sums_from_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  ChunkSums sums;
  reader.get(sums.size);
  reader.get(sums.values);
  return sums;
}

const RowChunks& Partition::chunks(const SumTarget& target) {
  if (!chunks_ || !same(target, target_)) {
    // A worker computes several partitions at the same time, each on one thread.
    chunks_.emplace(part_.log, target, 1);
    target_ = target;
  }
  return *chunks_;
}

std::string Partition::answer(std::string_view bytes) {
  const PartitionRequest request = PartitionRequest::from_bytes(bytes);
  const std::lock_guard lock(mutex_);
  const LoggedData& log = part_.log;
  switch (request.question) {
    case PartitionQuestion::kSum: return bytes_of(chunks(request.target).sums(request.sum));
    case PartitionQuestion::kGroupScores: {
      // The correction for the number of groups is that of all partitions together.
      const Eigen::MatrixXd matrix =
          chunks(request.target).group_scores(request.sum, log.groups()) /
          group_correction(log.num_groups());
      return bytes_of({static_cast<std::size_t>(matrix.size()),
                       {matrix.data(), matrix.data() + matrix.size()}});
    }
    case PartitionQuestion::kRows: return rows_as_bytes(rows_of(log, request.rows));
    case PartitionQuestion::kLabels: break;
  }
  return PartitionLabels{
      log.num_rows(),       copied(log.weights()),      copied(log.times()),
      copied(log.groups()), copied(log.group_hashes()), part_.fingerprint.state()}
      .bytes();
}

}  // namespace otss::internal
