#include "engine/ranks/rank_rows.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "base/ranks/message.hpp"
#include "base/threads.hpp"
#include "data/log/fingerprint.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/row_chunks.hpp"

namespace otss::internal {
namespace {

enum class Order { kAim, kSum, kTake, kCount, kSample, kStop };

std::string bytes_of(const SumRequest& request) {
  MessageWriter writer;
  put(writer, request);
  return std::move(writer).take();
}

// What a rank does with its own rows. Each function must be called by all ranks at the same time.
class OwnRows {
 public:
  OwnRows(const RankedLog& log, Ranks& ranks, const RowsDevice& by)
      : log_(log), ranks_(ranks), num_threads_(by.num_threads) {
    if (num_threads_ == 0) num_threads_ = hardware_threads();
    if (by.device != Device::kCpu && log.part.num_rows() > 0)
      on_device_ = make_device_rows(log.part, by);
  }

  void aim(const SumTarget& target) {
    if (on_device_)
      on_device_->aim(target);
    else
      chunks_.emplace(log_.part, target, num_threads_);
  }

  // Adds the chunks of all ranks in the order of the rows. The ranks compute their chunks at the same
  // time, and then add them one rank after the other.
  std::vector<double> sum(const SumRequest& request) const {
    const ChunkSums own = own_sums(request);
    return MessageReader(ranks_.fold([&](const std::string& before) {
             std::vector<double> total;
             if (!before.empty()) total = MessageReader(before).get<std::vector<double>>();
             own.add_to(total);
             return list(total);
           }))
        .get<std::vector<double>>();
  }

  // Returns, on rank 0, the given rows: for each rank the values of its rows, row after row.
  std::vector<std::string> take(std::span<const std::size_t> rows) const {
    MessageWriter writer;
    std::vector<float> values;
    const int columns = log_.part.features().num_columns();
    for (auto row = std::ranges::lower_bound(rows, log_.first_row);
         row != rows.end() && *row < end_row(); ++row) {
      const std::size_t own = *row - log_.first_row;
      for (int c = 0; c < columns; ++c) values.push_back(log_.part.features().at(own, c));
      values.push_back(log_.part.outcomes()[own]);
      if (!log_.part.weights().empty()) values.push_back(log_.part.weights()[own]);
    }
    writer.put(values);
    return ranks_.gather(std::move(writer).take());
  }

  // Returns the row numbers of the given counting rows, which are sorted.
  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const {
    return MessageReader(ranks_
                             .fold([&](const std::string& before) {
                               MessageReader reader(before);
                               std::size_t counted = before.empty() ? 0 : reader.get<std::size_t>();
                               auto found = before.empty() ? std::vector<std::size_t>{}
                                                           : reader.get<std::vector<std::size_t>>();
                               for (std::size_t i = 0; i < log_.part.num_rows(); ++i) {
                                 if (!counts(i)) continue;
                                 while (found.size() < positions.size() &&
                                        positions[found.size()] == counted)
                                   found.push_back(log_.first_row + i);
                                 ++counted;
                               }
                               MessageWriter writer;
                               writer.put(counted);
                               writer.put(found);
                               return std::move(writer).take();
                             })
                             .substr(sizeof(std::size_t)))
        .get<std::vector<std::size_t>>();
  }

  // Returns, on rank 0, the rows of both samples, of one rank after the other.
  std::vector<std::string> samples(const SampleLimits& limits) const {
    const RowSamples own = rows_within(log_.part, log_.first_row, limits);
    MessageWriter writer;
    writer.put(own.first);
    writer.put(own.second);
    return ranks_.gather(std::move(writer).take());
  }

  // Fills the facts that depend on the rows of all ranks.
  RowsFacts facts() const {
    const std::string all = ranks_.fold([&](const std::string& before) {
      MessageReader reader(before);
      std::size_t counting = before.empty() ? 0 : reader.get<std::size_t>();
      double weight = before.empty() ? 0 : reader.get<double>();
      if (log_.part.weights().empty()) {
        counting += log_.part.num_rows();
        weight += static_cast<double>(log_.part.num_rows());
      }
      for (const float own : log_.part.weights()) {
        counting += own > 0 ? 1 : 0;
        weight += own;
      }
      MessageWriter writer;
      writer.put(counting);
      writer.put(weight);
      return std::move(writer).take();
    });
    MessageReader reader(all);
    return {.num_rows = log_.num_all_rows,
            .num_counting = reader.get<std::size_t>(),
            .total_weight = reader.get<double>(),
            .encoder = log_.part.encoder(),
            .roles = log_.part.roles(),
            .fingerprint = log_.part.fingerprint()};
  }

 private:
  ChunkSums own_sums(const SumRequest& request) const {
    return on_device_ ? ChunkSums{request.size(), on_device_->sum(request)}
                      : chunks_->sums(request);
  }
  static std::string list(const std::vector<double>& values) {
    MessageWriter writer;
    writer.put(values);
    return std::move(writer).take();
  }
  std::size_t end_row() const { return log_.first_row + log_.part.num_rows(); }
  bool counts(std::size_t own) const {
    return log_.part.weights().empty() || log_.part.weights()[own] > 0;
  }

  const RankedLog& log_;
  Ranks& ranks_;
  int num_threads_;
  std::optional<RowChunks> chunks_;  // if the processor computes
  std::unique_ptr<Rows> on_device_;  // if a GPU computes
};

class RankRows final : public Rows {
 public:
  RankRows(const RankedLog& log, Ranks& ranks, const RowsDevice& by)
      : log_(log), ranks_(ranks), own_(log, ranks, by), facts_(own_.facts()) {}
  ~RankRows() override { order(Order::kStop, ""); }
  RankRows(const RankRows&) = delete;
  RankRows& operator=(const RankRows&) = delete;

  const RowsFacts& facts() const override { return facts_; }

  void aim(const SumTarget& target) override {
    MessageWriter writer;
    writer.put(target);
    order(Order::kAim, std::move(writer).take());
    own_.aim(target);
  }
  std::vector<double> sum(const SumRequest& request) const override {
    order(Order::kSum, bytes_of(request));
    return own_.sum(request);
  }
  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    assert(false);  // read_ranked_log refuses groups
    return Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(at.theta.size()),
                                 static_cast<Eigen::Index>(at.theta.size()));
  }
  LoggedData take(std::span<const std::size_t> rows) const override {
    order(Order::kTake, list(rows));
    return assembled(rows, own_.take(rows));
  }
  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    if (facts_.num_counting == facts_.num_rows) return {positions.begin(), positions.end()};
    order(Order::kCount, list(positions));
    return own_.counting_rows(positions);
  }
  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    const SampleLimits limits = limits_without_groups(facts_.num_counting, options);
    if (limits.below > limits.from) return std::nullopt;
    MessageWriter writer;
    writer.put(limits);
    order(Order::kSample, std::move(writer).take());
    RowSamples samples;
    for (const std::string& bytes : own_.samples(limits)) {
      MessageReader reader(bytes);
      for (auto* sample : {&samples.first, &samples.second}) {
        const auto rows = reader.get<std::vector<std::size_t>>();
        sample->insert(sample->end(), rows.begin(), rows.end());
      }
    }
    return samples;
  }

 private:
  void order(Order what, const std::string& details) const {
    MessageWriter writer;
    writer.put(what);
    ranks_.share(std::move(writer).take() + details);
  }
  static std::string list(std::span<const std::size_t> rows) {
    MessageWriter writer;
    writer.put(std::vector<std::size_t>(rows.begin(), rows.end()));
    return std::move(writer).take();
  }

  LoggedData assembled(std::span<const std::size_t> rows,
                       const std::vector<std::string>& of_ranks) const {
    const int columns = log_.part.features().num_columns();
    const bool weighted = !log_.part.weights().empty();
    LoggedData::Parts parts;
    auto features = std::make_shared<TileMatrix>(rows.size(), columns);
    for (const std::string& bytes : of_ranks) {
      const auto values = MessageReader(bytes).get<std::vector<float>>();
      for (auto next = values.begin(); next != values.end();) {
        const std::size_t row = parts.outcomes.size();
        for (int c = 0; c < columns; ++c) features->at(row, c) = *next++;
        parts.outcomes.push_back(*next++);
        if (weighted) parts.weights.push_back(*next++);
      }
    }
    parts.features = std::move(features);
    parts.encoder = facts_.encoder;
    parts.roles = facts_.roles;
    parts.fingerprint = fingerprint_of_rows(facts_.fingerprint, facts_.num_rows, rows);
    return LoggedData(std::move(parts));
  }

  const RankedLog& log_;
  Ranks& ranks_;
  OwnRows own_;
  RowsFacts facts_;
};

}  // namespace

std::unique_ptr<Rows> make_rank_rows(const RankedLog& log, Ranks& ranks, const RowsDevice& by) {
  return std::make_unique<RankRows>(log, ranks, by);
}

void serve_rows(const RankedLog& log, Ranks& ranks, const RowsDevice& by) {
  OwnRows own(log, ranks, by);
  own.facts();
  for (;;) {
    const std::string message = ranks.share("");
    MessageReader reader(message);
    switch (reader.get<Order>()) {
      case Order::kAim: own.aim(reader.get<SumTarget>()); break;
      case Order::kSum: own.sum(get_sum_request(reader)); break;
      case Order::kTake: own.take(reader.get<std::vector<std::size_t>>()); break;
      case Order::kCount: own.counting_rows(reader.get<std::vector<std::size_t>>()); break;
      case Order::kSample: own.samples(reader.get<SampleLimits>()); break;
      case Order::kStop: return;
    }
  }
}

}  // namespace otss::internal
