#include "decide/collected_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"

namespace otss::test {

using namespace internal;

namespace {

constexpr std::size_t kRowsOfRank = 70'000;  // more than one message has
constexpr std::size_t kExperts = 3;

// One of two ranks. Rank 1 keeps its messages; rank 0 gets them later.
class OneRank final : public Ranks {
 public:
  OneRank(int rank, std::vector<std::string>& messages) : rank_(rank), messages_(messages) {}
  int rank() const override { return rank_; }
  int size() const override { return 2; }
  std::string fold(const Step& step) override { return step(""); }
  std::string share(std::string bytes) override { return bytes; }
  std::vector<std::string> gather(std::string bytes) override { return {std::move(bytes)}; }
  void collect(const Next& next, const Use& use) override {
    if (rank_ == 0) {
      for (const std::string& message : messages_) use(message);
    } else {
      for (std::string message = next(); !message.empty(); message = next())
        messages_.push_back(message);
    }
  }

 private:
  int rank_;
  std::vector<std::string>& messages_;
};

// Evaluated rows as a table has them whose groups are the given ones.
EvaluatedRows rows_in_groups(std::vector<std::string> names) {
  EvaluatedRows rows;
  Rng rng(names.size());
  for (std::size_t i = 0; i < kRowsOfRank; ++i) {
    rows.eta.push_back(rng.normal());
    rows.outcomes.push_back(rng.uniform() < 0.4 ? 1 : 0);
    rows.groups.push_back(
        static_cast<std::uint32_t>(i < names.size() ? i : rng.below(names.size())));
    for (int factor = 0; factor < 2; ++factor) rows.weights.push_back(rng.normal());
    for (std::size_t expert = 0; expert < kExperts; ++expert)
      rows.shares.push_back(rng.uniform(0.1, 0.4));
  }
  rows.group_names = std::move(names);
  rows.known_units = 5;
  rows.rows = kRowsOfRank;
  return rows;
}

const std::vector<std::string> kFirstNames{"a", "b"};
const std::vector<std::string> kOtherNames{"c", "b", "d"};

EvaluatedRows collected(std::vector<std::string>& messages) {
  EvaluatedRows other = rows_in_groups(kOtherNames);
  OneRank rank1(1, messages);
  collect_rows(rank1, other);
  EvaluatedRows all = rows_in_groups(kFirstNames);
  OneRank rank0(0, messages);
  collect_rows(rank0, all);
  return all;
}

TEST(CollectedRows, AreThoseOfBothRanksInTheirOrder) {
  std::vector<std::string> messages;
  const EvaluatedRows all = collected(messages);
  const EvaluatedRows first = rows_in_groups(kFirstNames);
  const EvaluatedRows other = rows_in_groups(kOtherNames);
  const auto joined = [](auto values, const auto& more) {
    values.insert(values.end(), more.begin(), more.end());
    return values;
  };
  EXPECT_EQ(all.rows, 2 * kRowsOfRank);
  EXPECT_EQ(all.known_units, 10U);
  EXPECT_EQ(all.eta, joined(first.eta, other.eta));
  EXPECT_EQ(all.outcomes, joined(first.outcomes, other.outcomes));
  EXPECT_EQ(all.weights, joined(first.weights, other.weights));
  EXPECT_THAT(all.group_names, testing::ElementsAre("a", "b", "c", "d"));
  std::size_t different = 0;
  for (std::size_t i = 0; i < kRowsOfRank; ++i) {
    const std::string& name = all.group_names[all.groups[kRowsOfRank + i]];
    different += name == other.group_names[other.groups[i]] ? 0 : 1;
  }
  EXPECT_EQ(different, 0U);
  GateUseCounter gate;
  for (std::size_t i = 0; i < kRowsOfRank; ++i)
    gate.add(std::span(other.shares).subspan(i * kExperts, kExperts));
  EXPECT_EQ(all.gate.result().usage, gate.result().usage);
}

TEST(CollectedRows, ComeInMessagesThatAreSmallBesideTheTable) {
  std::vector<std::string> messages;
  collected(messages);
  ASSERT_EQ(messages.size(), 3U);  // a summary and two parts of the rows
  // A row has a prediction, an outcome, two weights, three shares and the number of its group.
  for (const std::string& message : messages) EXPECT_LT(message.size(), 65'536 * (7 * 8 + 4) + 200);
}

}  // namespace
}  // namespace otss::test
