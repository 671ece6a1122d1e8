// Several ranks, which are threads here, share the rows of a Parquet file.
#include "engine/ranks/rank_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/random.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/chunk_sums.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "engine/sum_journal.hpp"
#include "otss/base/error.hpp"
#include "otss/base/profile.hpp"
#include "unit/base/thread_ranks.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::test {

using namespace internal;

namespace {

constexpr std::size_t kRows = 3 * kChunkRows + 777;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A Parquet file with numbers, a column without a value in the first third, texts that are missing in
// some rows or come late, and weights.
class SharedLog {
 public:
  SharedLog() {
    Rng rng(8);
    std::vector<std::vector<double>> numbers(6);
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < kRows; ++i) {
      numbers[0].push_back(rng.normal() + 40);
      numbers[1].push_back(i < kRows / 3 ? kMissing : rng.normal());
      numbers[2].push_back(rng.normal());
      numbers[3].push_back(rng.normal());
      numbers[4].push_back(rng.uniform() < 0.4 ? 1 : 0);
      numbers[5].push_back(rng.uniform() < 0.1 ? 0 : rng.uniform(0.5, 2));
      constexpr std::string_view kTexts[] = {"north", "south", {}, "late"};
      texts.push_back(kTexts[rng.below(i < kRows / 2 ? 3 : 4)]);
    }
    TableWriter writer(path(), {{"x1", ColumnKind::kNumber},
                                {"x2", ColumnKind::kNumber},
                                {"z1", ColumnKind::kNumber},
                                {"z2", ColumnKind::kNumber},
                                {"y", ColumnKind::kNumber},
                                {"w", ColumnKind::kNumber},
                                {"region", ColumnKind::kText}});
    TableChunk chunk{0, kRows, {}};
    for (const auto& column : numbers) chunk.columns.push_back({ColumnKind::kNumber, column, {}});
    chunk.columns.push_back({ColumnKind::kText, {}, texts});
    writer.write(chunk);
    writer.commit();
  }

  std::string path() const { return folder_.path("log.parquet"); }
  static Roles roles() {
    return {.contexts = {"x1", "x2", "region"},
            .factors = {"z1", "z2", "z1*z2"},
            .outcome = "y",
            .weight = "w"};
  }
  LoggedData whole() const { return read_log(path(), roles()); }

 private:
  Folder folder_;
};

const SharedLog& shared() {
  static const SharedLog log;
  return log;
}

TEST(RankedLog, IsEncodedAsInOneProcess) {
  const LoggedData whole = shared().whole();
  for (const int size : {1, 2, 4}) {
    on_ranks(size, [&](Ranks& ranks) {
      const RankedLog log = read_ranked_log({.path = shared().path(), .threads = 1},
                                            SharedLog::roles(), OutcomeKind::kBinary, ranks);
      EXPECT_EQ(log.num_all_rows, kRows);
      EXPECT_EQ(log.first_row % kChunkRows, 0U);
      EXPECT_EQ(log.part.fingerprint(), whole.fingerprint());
      EXPECT_EQ(log.part.encoder(), whole.encoder());
      EXPECT_EQ(log.part.notes(), whole.notes());
      const TileMatrix& own = log.part.features();
      ASSERT_EQ(own.num_columns(), whole.features().num_columns());
      std::size_t different = 0;
      for (std::size_t i = 0; i < own.num_rows(); ++i) {
        for (int c = 0; c < own.num_columns(); ++c)
          different += own.at(i, c) == whole.features().at(log.first_row + i, c) ? 0 : 1;
        different += log.part.outcomes()[i] == whole.outcomes()[log.first_row + i] ? 0 : 1;
        different += log.part.weights()[i] == whole.weights()[log.first_row + i] ? 0 : 1;
      }
      EXPECT_EQ(different, 0U);
    });
  }
}

SumRequest some_request(const LoggedData& log, RowSum what) {
  SumRequest request{.what = what, .layout = {log.num_contexts(), log.num_factors(), 2}};
  Rng rng(5);
  for (std::size_t j = 0; j < request.layout.size(); ++j)
    request.theta.push_back(0.3 * rng.normal());
  return request;
}

constexpr RowsDevice kOneThread{.num_threads = 1};

TEST(RankRows, AnswerAsTheRowsOfOneProcess) {
  const LoggedData whole = shared().whole();
  const auto expected = make_cpu_rows(whole, 1);
  expected->aim({});
  on_ranks(3, [&](Ranks& ranks) {
    const RankedLog log = read_ranked_log({.path = shared().path(), .threads = 1},
                                          SharedLog::roles(), OutcomeKind::kBinary, ranks);
    if (ranks.rank() > 0) {
      serve_rows(log, ranks, kOneThread);
      return;
    }
    const auto rows = make_rank_rows(log, ranks, kOneThread);
    EXPECT_EQ(rows->facts().num_rows, kRows);
    EXPECT_EQ(rows->facts().num_counting, expected->facts().num_counting);
    EXPECT_EQ(rows->facts().total_weight, expected->facts().total_weight);
    rows->aim({});
    for (const RowSum what : {RowSum::kLossAndGradient, RowSum::kGaussNewton, RowSum::kPearson}) {
      const SumRequest request = some_request(whole, what);
      EXPECT_EQ(rows->sum(request), expected->sum(request));
    }
    const SampleOptions options{.rows = 3000, .seed = 4};
    const RowSamples samples = rows->samples(options).value();
    EXPECT_EQ(samples.first, expected->samples(options)->first);
    EXPECT_EQ(samples.second, expected->samples(options)->second);
    const std::vector<std::size_t> positions{0, 100, 9000, 20000};
    EXPECT_EQ(rows->counting_rows(positions), expected->counting_rows(positions));
    const LoggedData taken = rows->take(samples.first);
    const LoggedData same = expected->take(samples.first);
    ASSERT_EQ(taken.num_rows(), same.num_rows());
    EXPECT_EQ(taken.fingerprint(), same.fingerprint());
    EXPECT_TRUE(std::ranges::equal(taken.outcomes(), same.outcomes()));
    EXPECT_TRUE(std::ranges::equal(taken.weights(), same.weights()));
    EXPECT_EQ(taken.features().at(17, 1), same.features().at(17, 1));
  });
}

TEST(RankedLog, RefusesWhatRanksCannotDo) {
  on_ranks(1, [&](Ranks& ranks) {
    const auto read = [&](const std::string& path, const Roles& roles) {
      try {
        read_ranked_log({.path = path, .threads = 1}, roles, OutcomeKind::kBinary, ranks);
        return std::string("no error");
      } catch (const Error& error) {
        return std::string(error.what());
      }
    };
    Roles grouped = SharedLog::roles();
    grouped.weight.clear();
    grouped.group = "w";
    EXPECT_THAT(read(shared().path(), grouped), testing::HasSubstr("--group cannot be used"));
  });
}

TEST(SumJournal, AnswersWhatAnEarlierRunHasComputed) {
  const Folder folder;
  const std::string path = folder.path("checkpoint");
  const LoggedData whole = shared().whole();
  const auto rows = make_cpu_rows(whole, 1);
  rows->aim({});
  std::vector<SumRequest> requests(4, some_request(whole, RowSum::kLossAndGradient));
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].theta[0] = static_cast<double>(i);
  {
    const auto first_run = with_journal(*rows, path);
    for (const SumRequest& request : requests) first_run->sum(request);
  }
  const auto second_run = with_journal(*rows, path);
  const double before = profile_of_process().rows_evaluated;
  std::vector<std::vector<double>> sums;
  for (const SumRequest& request : requests) sums.push_back(second_run->sum(request));
  // The journal was saved after three sums, so only the fourth is computed again.
  EXPECT_LT(profile_of_process().rows_evaluated - before, 1.1 * kRows);
  for (std::size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(sums[i], rows->sum(requests[i]));
  const auto other_fit = with_journal(*rows, path);
  EXPECT_THROW(other_fit->sum(requests[1]), Error);  // the first request was another one
  const LoggedData part = rows_of(whole, std::vector<std::size_t>{0, 1, 2, 3});
  const auto other_rows = make_cpu_rows(part, 1);
  EXPECT_THROW(with_journal(*other_rows, path), Error);
  std::filesystem::resize_file(path, 100);
  EXPECT_THROW(with_journal(*rows, path), Error);
}

}  // namespace
}  // namespace otss::test
