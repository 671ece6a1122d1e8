// One test body for every place that the rows of a log can be in.
#include "engine/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "engine/cpu/cpu_rows.hpp"
#include "engine/device_rows.hpp"
#include "engine/gauss_newton.hpp"
#include "engine/row_chunks.hpp"
#include "otss/base/error.hpp"
#include "otss/data/stream.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {
namespace {

// Three whole chunks and a part of one.
constexpr std::size_t kRows = 3 * kChunkRows + 1000;
const std::vector<std::string> kNames{"x1", "x2", "z1", "z2"};

// The columns of a log with weights, some of them 0, and groups of 5 rows.
struct Columns {
  std::vector<std::vector<double>> features = std::vector<std::vector<double>>(kNames.size());
  std::vector<double> outcomes, weights, groups;

  Columns() {
    Rng rng(31);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (auto& column : features) column.push_back(rng.normal());
      outcomes.push_back(rng.uniform() < 0.4 ? 1 : 0);
      weights.push_back(i % 7 == 0 ? 0 : rng.uniform(0.5, 2));
      groups.push_back(static_cast<double>(i / 5));
    }
  }

  TableReader reader() const {
    std::vector<NamedColumn> named;
    for (std::size_t j = 0; j < kNames.size(); ++j) named.push_back({kNames[j], features[j], {}});
    named.push_back({"y", outcomes, {}});
    named.push_back({"weight", weights, {}});
    named.push_back({"group", groups, {}});
    return TableReader(table_in_memory("log", named));
  }
};

const Columns& columns() {
  static const Columns all;
  return all;
}

LoggedData log_in(const std::string& folder) {
  const Roles roles{.contexts = {"x1", "x2"},
                    .factors = {"z1", "z2"},
                    .outcome = "y",
                    .weight = "weight",
                    .group = "group"};
  return stream_log(columns().reader(), roles, OutcomeKind::kBinary, folder);
}

const LoggedData& in_memory() {
  static const LoggedData log = log_in("");
  return log;
}

// How exact the sums of a place are.
struct Exactness {
  double sums;      // the error of a sum, relative to its largest number; 0 means the same bits
  double matrix;    // the error of the Gauss–Newton matrix, relative to the matrix
  double step;      // of a parameter, to compare losses with derivatives
  double gradient;  // the error of such a derivative
};

// Of places that compute in f64. The Gauss–Newton matrix adds the same terms in another order. The
// truncation error of a derivative is of the order of step² times the number of rows.
constexpr Exactness kInDouble{.sums = 0, .matrix = 1e-12, .step = 1e-5, .gradient = 1e-4};

// What all places have in common: they exist on every machine, and their sums have the bits of the
// rows in memory.
struct EveryMachine {
  static std::string why_not() { return ""; }
  static constexpr Exactness kExactness = kInDouble;
};

// The rows of a log whose tiles are in a scratch file.
class InFile : public EveryMachine {
 public:
  std::unique_ptr<Rows> rows(int threads) const { return make_cpu_rows(log_, threads); }

 private:
  LoggedData log_ = log_in(std::filesystem::temp_directory_path().string());
};

class InMemory : public EveryMachine {
 public:
  std::unique_ptr<Rows> rows(int threads) const { return make_cpu_rows(in_memory(), threads); }
};

class OnGpu {
 public:
  static std::string why_not() {
    try {
      require_device(Device::kCuda);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  static constexpr Exactness kExactness{.sums = 1e-6,
                                        .matrix = kInDouble.matrix,
                                        .step = kInDouble.step,
                                        .gradient = kInDouble.gradient};
  std::unique_ptr<Rows> rows(int threads) const {
    return make_device_rows(in_memory(), {.device = Device::kCuda, .num_threads = threads});
  }
};

// The rows are rounded, the sample of this small log has few of them, and the Gauss–Newton matrix is that
// of the rounded rows. The kernel rounds coefficients to multiples of 2^-24 (6e-8), so the loss is a
// staircase, whose stairs are 1/300 of a change by 2e-5, and 1/100,000 of a change by 6e-3. With that
// step, stairs and truncation were at most 0.006 in a copy of this test that the processor computed.
class OnGpuInHalf : public OnGpu {
 public:
  static constexpr Exactness kExactness{
      .sums = 1e-3, .matrix = 1e-5, .step = 3e-3, .gradient = 0.05};
  std::unique_ptr<Rows> rows(int threads) const {
    return make_device_rows(in_memory(), {Device::kCuda, Storage::kHalf, threads});
  }
};

template <class Place>
class RowsIn : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Place::why_not(); !why.empty()) GTEST_SKIP() << why;
  }

  static void expect_same(const std::vector<double>& sums, const std::vector<double>& expected) {
    if (Place::kExactness.sums == 0) {
      EXPECT_EQ(sums, expected);
      return;
    }
    ASSERT_EQ(sums.size(), expected.size());
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t j = 0; j < sums.size(); ++j)
      EXPECT_NEAR(sums[j], expected[j], Place::kExactness.sums * largest) << j;
  }

  Place place_;
};

using Places = testing::Types<InMemory, InFile, OnGpu, OnGpuInHalf>;
TYPED_TEST_SUITE(RowsIn, Places);

SumRequest request_of(RowSum what, Precision precision = Precision::kDouble) {
  SumRequest request{.what = what, .layout = {2, 2, 3}, .precision = precision};
  Rng rng(5);
  for (std::size_t j = 0; j < request.layout.size(); ++j)
    request.theta.push_back(0.3 * rng.normal());
  return request;
}

const std::vector<SumRequest>& all_requests() {
  static const std::vector<SumRequest> requests{
      request_of(RowSum::kLossAndGradient, Precision::kSingle),
      request_of(RowSum::kLossAndGradient), request_of(RowSum::kGaussNewton),
      request_of(RowSum::kPearson)};
  return requests;
}

TYPED_TEST(RowsIn, GiveTheSumsOfTheRowsInMemoryForAnyNumberOfThreads) {
  const auto expected = make_cpu_rows(in_memory(), 1);
  expected->aim({});
  for (const int threads : {1, 3}) {
    const auto rows = this->place_.rows(threads);
    rows->aim({});
    for (const SumRequest& request : all_requests()) {
      this->expect_same(rows->sum(request), expected->sum(request));
      EXPECT_EQ(rows->sum(request), rows->sum(request));
      EXPECT_EQ(rows->sum(request).size(), request.size());
    }
    const SumRequest at = request_of(RowSum::kLossAndGradient);
    EXPECT_TRUE(rows->group_scores(at) == expected->group_scores(at));
  }
}

TYPED_TEST(RowsIn, SumTheGaussNewtonMatrixOfAllRows) {
  const auto rows = this->place_.rows(2);
  rows->aim({});
  const SumRequest at = request_of(RowSum::kGaussNewton);
  const LoggedData& log = in_memory();
  const Eigen::MatrixXd expected = gauss_newton(
      log.features(), signed_weights_of(log, OutputFamily::kBernoulli), at.theta, at.layout, 1);
  EXPECT_LT((gauss_newton(*rows, at) - expected).norm(),
            TypeParam::kExactness.matrix * expected.norm());
}

TYPED_TEST(RowsIn, GiveAnEngineWhoseGradientIsTheDerivativeOfItsLoss) {
  const auto rows = this->place_.rows(2);
  rows->aim({});
  const SumRequest at = request_of(RowSum::kLossAndGradient);
  const auto engine = make_rows_engine(*rows, at.layout);
  EXPECT_EQ(engine->total_weight(), rows->facts().total_weight);
  std::vector<double> gradient(at.theta.size()), unused(at.theta.size());
  engine->evaluate(at.theta, gradient, Precision::kDouble);
  constexpr double kStep = TypeParam::kExactness.step;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    std::vector<double> theta = at.theta;
    theta[j] += kStep;
    const double above = engine->evaluate(theta, unused, Precision::kDouble);
    theta[j] -= 2 * kStep;
    const double below = engine->evaluate(theta, unused, Precision::kDouble);
    EXPECT_NEAR((above - below) / (2 * kStep), gradient[j], TypeParam::kExactness.gradient)
        << "parameter " << j;
  }
}

TYPED_TEST(RowsIn, HandOutCopiesOfRows) {
  const auto rows = this->place_.rows(2);
  const std::vector<std::size_t> wanted{3, 500, kChunkRows, kRows - 1};
  const LoggedData taken = rows->take(wanted);
  ASSERT_EQ(taken.num_rows(), wanted.size());
  const LoggedData expected = rows_of(in_memory(), wanted);
  EXPECT_EQ(taken.fingerprint(), expected.fingerprint());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(taken.outcomes()[i], in_memory().outcomes()[wanted[i]]);
    EXPECT_EQ(taken.group_hashes()[i], expected.group_hashes()[i]);
  }
  // Row 0 has weight 0, so counting row 0 is row 1; six of seven rows count.
  EXPECT_EQ(rows->counting_rows(std::vector<std::size_t>{0, 5, 6}),
            (std::vector<std::size_t>{1, 6, 8}));
  EXPECT_EQ(rows->facts().num_counting, kRows - (kRows + 6) / 7);
}

TYPED_TEST(RowsIn, DrawSamplesThatDependOnTheGroupsAlone) {
  const auto rows = this->place_.rows(2);
  const SampleOptions options{.rows = 4000, .seed = 9};
  const RowSamples drawn = rows->samples(options).value();
  const RowSamples expected = draw_samples(in_memory(), options).value();
  EXPECT_EQ(drawn.first, expected.first);
  EXPECT_EQ(drawn.second, expected.second);
}

// A rank or a worker has a part of the rows. The sums of its chunks, added in the order of the rows,
// are those of a process that has all rows.
TEST(RowChunks, OfSeveralPartsAddUpToTheBitsOfOneProcess) {
  const auto all = make_cpu_rows(in_memory(), 1);
  all->aim({});
  std::vector<LoggedData> parts;
  const std::vector<std::size_t> bounds{0, 2 * kChunkRows, kRows};
  for (std::size_t part = 0; part + 1 < bounds.size(); ++part) {
    std::vector<std::size_t> rows;
    for (std::size_t i = bounds[part]; i < bounds[part + 1]; ++i) rows.push_back(i);
    parts.push_back(rows_of(in_memory(), rows));
  }
  for (const SumRequest& request : all_requests()) {
    std::vector<double> total;
    for (const LoggedData& part : parts) RowChunks(part, {}, 2).sums(request).add_to(total);
    EXPECT_EQ(total, all->sum(request));
  }
}

TEST(RowChunks, ReplaceContextsByMonomialsForAQuadraticGate) {
  const LoggedData& log = in_memory();
  const TileMatrix tiles = quadratic_tiles(log.features(), 2);
  ASSERT_EQ(tiles.num_columns(), 5 + 2);  // x1, x2, x1², x1 x2, x2², z1, z2
  for (const std::size_t row : {std::size_t{0}, kRows - 1}) {
    EXPECT_EQ(tiles.at(row, 5), log.features().at(row, 2));
    EXPECT_EQ(tiles.at(row, 0), log.features().at(row, 0));
  }
  const RowChunks chunks(log, {.quadratic = true}, 1);
  SumRequest request{.layout = {5, 2, 2}};
  request.theta.assign(request.layout.size(), 0.0);
  // With theta = 0 every probability is 1/2.
  EXPECT_NEAR(chunks.sums(request).total().front(), chunks.total_weight() * std::log(2.0),
              1e-9 * chunks.total_weight());
}

}  // namespace
}  // namespace otss::test
