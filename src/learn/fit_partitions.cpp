#include <fmt/core.h>

#include <numeric>

#include "base/ranks/message.hpp"
#include "data/log/parts/part_summary.hpp"
#include "engine/partitions/partition.hpp"
#include "engine/partitions/partition_rows.hpp"
#include "learn/estimate/fit_rows.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/partitions.hpp"

namespace otss::internal {
namespace {

// How the partitions are encoded.
struct PartitionPlan {
  PartSummary whole;  // the summary of all rows
  OutcomeKind outcome = OutcomeKind::kBinary;
  std::vector<std::size_t> first_rows;  // the number of the first row of each partition

  std::string bytes() const {
    MessageWriter writer;
    writer.put(whole.bytes());
    writer.put(outcome);
    writer.put(first_rows);
    return std::move(writer).take();
  }
  static PartitionPlan from_bytes(std::string_view bytes) {
    MessageReader reader(bytes);
    PartitionPlan plan{.whole = PartSummary::from_bytes(reader.get<std::string>())};
    reader.get(plan.outcome);
    reader.get(plan.first_rows);
    return plan;
  }
};

void refuse_options(const FitOptions& options) {
  const auto refuse = [](const std::string& option) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} needs all rows in one process, but the rows are in partitions; leave "
                    "it out, or fit a sample of the rows in one process",
                    option));
  };
  if (options.method != Method::kAuto && options.method != Method::kOtss &&
      options.method != Method::kPooled)
    refuse(fmt::format("--method {}", word(options.method)));
  if (options.gate == GateChoice::kMlp) refuse("--gate mlp");
  if (options.estimator != Estimator::kAuto && options.estimator != Estimator::kMap)
    refuse(fmt::format("--estimator {}", word(options.estimator)));
  if (!can_fit_rows(options)) refuse("this set of options");
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string summarize_partition(const TableSource& table, const Roles& roles) {
  if (!roles.unit.empty()) {
    throw Error(
        ErrorCode::kUsage,
        "--unit needs all rows in one process, but the rows are in partitions; leave it out, "
        "or fit a sample of the rows in one process");
  }
  return summarize_part(TableReader(table), roles).bytes();
}

std::string plan_partitions(const std::vector<std::string>& summaries, OutcomeKind outcome) {
  if (summaries.empty())
    throw Error(ErrorCode::kInput, "the log has no partitions; give at least one");
  PartitionPlan plan{.whole = PartSummary::from_bytes(summaries.front()), .outcome = outcome};
  plan.first_rows.push_back(0);
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    plan.first_rows.push_back(plan.whole.num_rows);
    plan.whole.add(PartSummary::from_bytes(summaries[i]));
  }
  plan.whole.encoder().validate();
  return plan.bytes();
}

struct LogPartition::Impl {
  PartSummary whole;  // the summary of the whole log
  Partition partition;

  Impl(PartSummary summary, EncodedPart part)
      : whole(std::move(summary)), partition(std::move(part)) {}
};

LogPartition::LogPartition(const TableSource& table, std::string_view plan, std::size_t index) {
  const PartitionPlan read = PartitionPlan::from_bytes(plan);
  const Encoder encoder = read.whole.encoder();
  impl_ =
      std::make_unique<Impl>(read.whole, read_part(TableReader(table), read.whole.roles, encoder,
                                                   read.outcome, read.first_rows.at(index)));
}

LogPartition::LogPartition(std::string_view saved) {
  MessageReader reader(saved);
  PartSummary whole = PartSummary::from_bytes(reader.get<std::string>());
  const auto state = reader.get<std::vector<std::uint64_t>>();
  LoggedData::Parts parts;
  parts.encoder = whole.encoder();
  parts.roles = whole.roles;
  append_rows(reader.get<std::string>(), parts);
  impl_ = std::make_unique<Impl>(
      std::move(whole), EncodedPart{LoggedData(std::move(parts)), Fingerprint::from_state(state)});
}

std::string LogPartition::saved() const {
  MessageWriter writer;
  writer.put(impl_->whole.bytes());
  writer.put(impl_->partition.part().fingerprint.state());
  writer.put(rows_as_bytes(impl_->partition.part().log));
  return std::move(writer).take();
}

LogPartition::~LogPartition() = default;
LogPartition::LogPartition(LogPartition&&) noexcept = default;
LogPartition& LogPartition::operator=(LogPartition&&) noexcept = default;

std::size_t LogPartition::num_rows() const { return impl_->partition.part().log.num_rows(); }

std::string LogPartition::answer(std::string_view request) const {
  return impl_->partition.answer(request);
}

Fitted fit_partitions(std::string_view plan, const AskPartitions& ask, const FitOptions& options,
                      const Progress& progress) {
  refuse_options(options);
  const PartitionPlan read = PartitionPlan::from_bytes(plan);
  const auto rows = make_partition_rows(read.whole.encoder(), read.whole.roles, ask);
  if (auto fitted = fit_rows(*rows, options, progress)) return *std::move(fitted);
  std::vector<std::size_t> all(rows->facts().num_rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fit(rows->take(all), options, progress);
}

}  // namespace otss
