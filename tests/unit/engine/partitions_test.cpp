#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "data/log/parts/read_part.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "engine/partitions/partition.hpp"
#include "engine/partitions/partition_rows.hpp"
#include "otss/base/error.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {
namespace {

// Two whole chunks, and a part of one.
constexpr std::size_t kRows = 2 * kChunkRows + 500;

LoggedData make_whole(bool with_groups) {
  Rng rng(17);
  std::vector<double> x(kRows), z(kRows), y(kRows), weight(kRows), group(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = rng.normal();
    z[i] = rng.normal();
    y[i] = rng.uniform() < 0.4 ? 1 : 0;
    weight[i] = i % 7 == 0 ? 0 : rng.uniform(0.5, 2);
    group[i] = static_cast<double>(i / 4);
  }
  LogExtras extras{.weight = {"weight", weight, {}}, .threads = 1};
  if (with_groups) extras.group = {"group", group, {}};
  return make_log({{"x", x, {}}}, {{"z", z, {}}}, y, extras);
}

// The partitions of a log, asked in this process, but by messages.
class Partitions {
 public:
  Partitions(const LoggedData& log, const std::vector<std::size_t>& ends) {
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      std::vector<std::size_t> rows(end - first);
      std::iota(rows.begin(), rows.end(), first);
      partitions_.push_back(
          std::make_unique<Partition>(EncodedPart{rows_of(log, rows), Fingerprint(3)}));
      first = end;
    }
  }
  std::vector<std::string> operator()(const std::vector<std::string>& requests) const {
    std::vector<std::string> answers(partitions_.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string& request = requests[requests.size() == 1 ? 0 : i];
      if (!request.empty()) answers[i] = partitions_[i]->answer(request);
    }
    return answers;
  }

 private:
  std::vector<std::unique_ptr<Partition>> partitions_;
};

std::unique_ptr<Rows> rows_in(const Partitions& partitions, const LoggedData& log) {
  auto rows = make_partition_rows(log.encoder(), log.roles(), std::cref(partitions));
  rows->aim({});
  return rows;
}

SumRequest request_of(RowSum what) {
  SumRequest request{.what = what, .layout = {1, 1, 2}};
  for (std::size_t j = 0; j < request.layout.size(); ++j)
    request.theta.push_back(0.1 * static_cast<double>(j) - 0.2);
  return request;
}

TEST(PartitionRows, HaveTheBitsOfRowsInMemoryIfPartitionsAreWholeChunks) {
  const LoggedData log = make_whole(false);
  const Partitions partitions(log, {kChunkRows, 2 * kChunkRows, kRows});
  const auto rows = rows_in(partitions, log);
  const auto expected = make_cpu_rows(log, 1);
  expected->aim({});
  for (const RowSum what : {RowSum::kLossAndGradient, RowSum::kGaussNewton, RowSum::kPearson})
    EXPECT_EQ(rows->sum(request_of(what)), expected->sum(request_of(what)));
  EXPECT_EQ(rows->facts().num_rows, kRows);
  EXPECT_EQ(rows->facts().num_counting, expected->facts().num_counting);
  EXPECT_NEAR(rows->facts().total_weight, expected->facts().total_weight, 1e-6);
}

TEST(PartitionRows, GiveSamplesAndCopiesOfRows) {
  const LoggedData log = make_whole(true);
  const Partitions partitions(log, {1000, 1004, kRows});
  const auto rows = rows_in(partitions, log);
  const auto expected = make_cpu_rows(log, 1);
  const SampleOptions options{.rows = 2000};
  EXPECT_EQ(rows->samples(options)->first, expected->samples(options)->first);
  const std::vector<std::size_t> wanted{0, 999, 1000, 1003, 1004, kRows - 1};
  const LoggedData taken = rows->take(wanted);
  ASSERT_EQ(taken.num_rows(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(taken.features().at(i, 0), log.features().at(wanted[i], 0));
    EXPECT_EQ(taken.outcomes()[i], log.outcomes()[wanted[i]]);
    EXPECT_EQ(taken.group_hashes()[taken.groups()[i]], log.group_hashes()[log.groups()[wanted[i]]]);
  }
  EXPECT_EQ(rows->counting_rows(std::vector<std::size_t>{0, 6}),
            expected->counting_rows(std::vector<std::size_t>{0, 6}));
}

TEST(PartitionRows, SumTheScoresOfGroups) {
  const LoggedData log = make_whole(true);
  const Partitions partitions(log, {1000, kRows});
  const auto rows = rows_in(partitions, log);
  const auto expected = make_cpu_rows(log, 1);
  expected->aim({});
  const SumRequest at = request_of(RowSum::kLossAndGradient);
  const Eigen::MatrixXd scores = expected->group_scores(at);
  EXPECT_LT((rows->group_scores(at) - scores).norm(), 1e-10 * scores.norm());
}

TEST(PartitionRows, RefuseAGroupInTwoPartitions) {
  const LoggedData log = make_whole(true);
  const Partitions partitions(log, {1001, kRows});
  try {
    rows_in(partitions, log);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("several partitions"));
  }
}

}  // namespace
}  // namespace otss::internal
