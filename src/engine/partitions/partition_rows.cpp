#include "engine/partitions/partition_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "data/log/log_layout.hpp"
#include "data/log/parts/read_part.hpp"
#include "engine/partitions/partition.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns a log that has the labels of all rows, but no features and no outcomes. It serves to draw
// samples.
LoggedData labels_of_all(const std::vector<PartitionLabels>& partitions) {
  LoggedData::Parts parts;
  std::unordered_set<std::uint64_t> seen;
  for (const PartitionLabels& labels : partitions) {
    parts.outcomes.resize(parts.outcomes.size() + labels.num_rows);
    parts.weights.insert(parts.weights.end(), labels.weights.begin(), labels.weights.end());
    parts.times.insert(parts.times.end(), labels.times.begin(), labels.times.end());
    const auto first = static_cast<std::uint32_t>(parts.group_hashes.size());
    for (const std::uint32_t group : labels.groups) parts.groups.push_back(first + group);
    for (const std::uint64_t hash : labels.group_hashes) {
      if (!seen.insert(hash).second) {
        throw Error(ErrorCode::kInput,
                    "a group has rows in several partitions; bring the rows of each group together "
                    "first, for example with ddf.shuffle(on=group)");
      }
      parts.group_hashes.push_back(hash);
    }
  }
  parts.num_groups = parts.group_hashes.size();
  return LoggedData(std::move(parts));
}

// Returns the names that the fingerprint of a log covers, as LogLayout::described does.
std::vector<std::string> described(const Roles& roles) {
  LogLayout layout;
  layout.roles = roles;
  return layout.described();
}

class PartitionRows final : public Rows {
 public:
  PartitionRows(const Encoder& encoder, const Roles& roles, const SendToPartitions& ask)
      : PartitionRows(encoder, roles, ask, asked_labels(ask)) {}

  const RowsFacts& facts() const override { return facts_; }

  void aim(const SumTarget& target) override { target_ = target; }

  std::vector<double> sum(const SumRequest& request) const override {
    return total({.question = PartitionQuestion::kSum, .target = target_, .sum = request});
  }

  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    const std::vector<double> sums =
        total({.question = PartitionQuestion::kGroupScores, .target = target_, .sum = at});
    const auto size = static_cast<Eigen::Index>(at.theta.size());
    return Eigen::Map<const Eigen::MatrixXd>(sums.data(), size, size) *
           group_correction(labels_.num_groups());
  }

  LoggedData take(std::span<const std::size_t> rows) const override {
    std::vector<std::string> requests;
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < first_rows_.size(); ++i) {
      PartitionRequest request{.question = PartitionQuestion::kRows};
      for (; next < rows.size() && rows[next] < first_rows_[i + 1]; ++next)
        request.rows.push_back(rows[next] - first_rows_[i]);
      requests.push_back(request.rows.empty() ? "" : request.bytes());
    }
    LoggedData::Parts parts;
    for (const std::string& answer : ask_(requests)) {
      if (!answer.empty()) append_rows(answer, parts);
    }
    parts.encoder = facts_.encoder;
    parts.roles = facts_.roles;
    parts.fingerprint = fingerprint_of_rows(facts_.fingerprint, facts_.num_rows, rows);
    return LoggedData(std::move(parts));
  }

  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    return counting_rows_of(labels_, positions);
  }

  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    return draw_samples(labels_, options);
  }

 private:
  static std::vector<PartitionLabels> asked_labels(const SendToPartitions& ask) {
    std::vector<PartitionLabels> labels;
    for (const std::string& answer : ask({PartitionRequest{}.bytes()}))
      labels.push_back(PartitionLabels::from_bytes(answer));
    return labels;
  }

  PartitionRows(const Encoder& encoder, const Roles& roles, SendToPartitions ask,
                const std::vector<PartitionLabels>& partitions)
      : ask_(std::move(ask)), labels_(labels_of_all(partitions)) {
    Fingerprint fingerprint(partitions.front().fingerprint.size() - 1);
    for (const PartitionLabels& labels : partitions) {
      first_rows_.push_back(first_rows_.back() + labels.num_rows);
      fingerprint.add(Fingerprint::from_state(labels.fingerprint));
    }
    facts_ = facts_of(labels_);
    facts_.encoder = encoder;
    facts_.roles = roles;
    facts_.fingerprint = fingerprint.hex(described(roles));
  }

  // Returns the sum of the answers' chunks, in the order of the partitions.
  std::vector<double> total(const PartitionRequest& request) const {
    std::vector<double> sums;
    for (const std::string& answer : ask_({request.bytes()})) sums_from_bytes(answer).add_to(sums);
    return sums;
  }

  SendToPartitions ask_;
  LoggedData labels_;                          // has no features
  std::vector<std::size_t> first_rows_ = {0};  // the first row of each partition, and the row count
  RowsFacts facts_;
  SumTarget target_;
};

}  // namespace

std::unique_ptr<Rows> make_partition_rows(const Encoder& encoder, const Roles& roles,
                                          const SendToPartitions& ask) {
  return std::make_unique<PartitionRows>(encoder, roles, ask);
}

}  // namespace otss::internal
