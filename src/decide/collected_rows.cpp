#include "decide/collected_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/ranks/message.hpp"
#include "data/log/fingerprint.hpp"

namespace otss::internal {
namespace {

// A message has at most so many rows, so that rank 0 needs little memory beside the rows it keeps.
constexpr std::size_t kMessageRows = 65'536;

enum class Content { kSummary, kRows };

// Calls visit(values) for each field of the rows that has one value, or several, per row. The numbers
// of groups are left out, because they differ between ranks.
template <class Rows, class Visit>
void for_each_field(Rows& rows, const Visit& visit) {
  visit(rows.eta);
  visit(rows.outcomes);
  visit(rows.row_weights);
  visit(rows.log_losses);
  visit(rows.weights);
  visit(rows.largest_shares);
  visit(rows.top_shares);
}

// The messages of a rank: first a summary, and then its rows.
class SentRows {
 public:
  explicit SentRows(const EvaluatedRows& rows) : rows_(rows) {}

  // Returns the next message, or nothing after the last one.
  std::string next() {
    if (!std::exchange(summary_is_sent_, true)) return summary();
    return num_sent_ < rows_.rows ? next_rows() : std::string();
  }

 private:
  std::string summary() const {
    MessageWriter writer;
    writer.put(Content::kSummary);
    writer.put(rows_.group_names);
    writer.put(rows_.unknown.unknown_levels);
    writer.put(rows_.unknown.unexpected_missing);
    writer.put(rows_.unknown.far_values);
    writer.put(rows_.known_units);
    return std::move(writer).take();
  }

  std::string next_rows() {
    const std::size_t first = num_sent_;
    const std::size_t count = std::min(kMessageRows, rows_.rows - first);
    MessageWriter writer;
    writer.put(Content::kRows);
    writer.put(count);
    const auto put = [&](const auto& values) {
      const std::size_t width = values.size() / rows_.rows;
      writer.put(std::span(values).subspan(first * width, count * width));
    };
    for_each_field(rows_, put);
    put(rows_.groups);
    put(rows_.shares);
    num_sent_ += count;
    return std::move(writer).take();
  }

  const EvaluatedRows& rows_;
  bool summary_is_sent_ = false;
  std::size_t num_sent_ = 0;
};

// Adds the messages of other ranks to the rows of rank 0.
class ReceivedRows {
 public:
  explicit ReceivedRows(EvaluatedRows& rows) : rows_(rows) {
    for (const std::string& name : rows.group_names) codes_.code(name, hash_text(name));
  }

  void add(const std::string& message) {
    MessageReader reader(message);
    switch (reader.get<Content>()) {
      case Content::kSummary: add_summary(reader); break;
      case Content::kRows: add_rows(reader); break;
    }
  }
  const std::vector<std::string>& group_names() const { return codes_.texts(); }

 private:
  // Groups are numbered in the order of their first rows.
  void add_summary(MessageReader& reader) {
    numbers_.clear();
    for (const std::string& name : reader.get<std::vector<std::string>>())
      numbers_.push_back(codes_.code(name, hash_text(name)));
    UnknownCounts unknown;
    reader.get(unknown.unknown_levels);
    reader.get(unknown.unexpected_missing);
    reader.get(unknown.far_values);
    rows_.unknown.add(unknown);
    rows_.known_units += reader.get<std::size_t>();
  }

  void add_rows(MessageReader& reader) {
    const auto count = reader.get<std::size_t>();
    for_each_field(rows_, [&]<class Values>(Values& values) {
      const auto more = reader.get<Values>();
      values.insert(values.end(), more.begin(), more.end());
    });
    for (const std::uint32_t group : reader.get<std::vector<std::uint32_t>>())
      rows_.groups.push_back(numbers_[group]);
    const auto shares = reader.get<std::vector<double>>();
    const std::size_t num_experts = shares.size() / count;
    for (std::size_t i = 0; i < count && num_experts > 0; ++i)
      rows_.gate.add(std::span(shares).subspan(i * num_experts, num_experts));
    rows_.rows += count;
  }

  EvaluatedRows& rows_;
  TextCodes codes_;
  std::vector<std::uint32_t> numbers_;  // by the number that the sending rank gave to the group
};

}  // namespace

void collect_rows(Ranks& ranks, EvaluatedRows& rows) {
  SentRows sent(rows);
  ReceivedRows received(rows);
  ranks.collect([&] { return sent.next(); },
                [&](const std::string& message) { received.add(message); });
  if (ranks.rank() == 0) rows.group_names = received.group_names();
}

}  // namespace otss::internal
