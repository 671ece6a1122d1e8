#include "otss/model/unit_states.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "model/units/packed_cholesky.hpp"
#include "model/units/state_parts.hpp"
#include "otss/base/error.hpp"
#include "unit/model/units/unit_fixture.hpp"

namespace otss {
namespace {

using namespace internal;
using testing::ElementsAreArray;
using testing::HasSubstr;

UpdateOptions timed() { return {.unit = "who", .time = "t"}; }

UnitStates learn(const Fitted& fitted, const std::string& history,
                 const UpdateOptions& options = timed()) {
  return update_units(UnitStates(fitted), {.path = history}, options);
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

void expect_same(const UnitStates& a, const UnitStates& b) {
  EXPECT_THAT(a.parts().names.texts(), ElementsAreArray(b.parts().names.texts()));
  EXPECT_THAT(a.parts().num_rows, ElementsAreArray(b.parts().num_rows));
  EXPECT_THAT(a.parts().last_times, ElementsAreArray(b.parts().last_times));
  EXPECT_THAT(a.parts().means, ElementsAreArray(b.parts().means));
  EXPECT_THAT(a.parts().factors, ElementsAreArray(b.parts().factors));
  EXPECT_EQ(a.parts().kept, b.parts().kept);
}

// The standard error of the weight of each standardised factor, and of v.
std::vector<double> standard_errors(const UnitStates& states, std::size_t unit) {
  const DeviationBasis& basis = states.parts().model->basis();
  std::vector<double> errors;
  for (int i = 0; i < basis.size(); ++i) {
    std::vector<double> row(basis.row(i).begin(), basis.row(i).end());
    solve_lower(states.parts().factor(unit), row);
    double variance = 0;
    for (const double entry : row) variance += entry * entry;
    errors.push_back(std::sqrt(variance));
  }
  return errors;
}

// Returns the distances between the weights of two states, in standard errors, sorted.
std::vector<double> distances(const UnitStates& a, const UnitStates& b) {
  const DeviationBasis& basis = a.parts().model->basis();
  std::vector<double> all;
  for (std::size_t unit = 0; unit < a.num_units(); ++unit) {
    const std::vector<double> errors = standard_errors(a, unit);
    std::vector<double> one(basis.size()), other(basis.size());
    basis.expand(a.parts().mean(unit), one);
    basis.expand(b.parts().mean(unit), other);
    for (std::size_t i = 1; i < one.size(); ++i)
      all.push_back(std::abs(one[i] - other[i]) / errors[i]);
  }
  std::ranges::sort(all);
  return all;
}

class UnitStatesTest : public HistoryTest {};

TEST_F(UnitStatesTest, UpdatedInPiecesAreCloseToAllRowsAtOnce) {
  const Fitted fitted(unit_model(8));
  struct Case {
    int rows, pieces;
    double median, p99;  // the largest allowed distances, in standard errors
  };
  for (const Case& one : {Case{20, 2, 0.02, 0.15}, Case{50, 5, 0.06, 0.30}}) {
    const UnitStates whole = learn(fitted, write_history("all.csv", fitted, 200, 1, one.rows));
    UnitStates pieces(fitted);
    const int step = one.rows / one.pieces;
    for (int first = 1; first <= one.rows; first += step) {
      pieces = update_units(
          pieces, {.path = write_history("piece.csv", fitted, 200, first, first + step - 1)},
          timed());
    }
    const std::vector<double> found = distances(whole, pieces);
    EXPECT_LT(found[found.size() / 2], one.median) << one.rows;
    EXPECT_LT(found[found.size() * 99 / 100], one.p99) << one.rows;
    EXPECT_EQ(pieces.num_rows(0), static_cast<std::size_t>(one.rows));
    EXPECT_EQ(pieces.last_time(0), one.rows);
  }
}

TEST_F(UnitStatesTest, ThatKeepTheirRowsAreTheSameInPiecesToTheBit) {
  const Fitted fitted(unit_model(3));
  UpdateOptions options = timed();
  options.keep_rows = 30;
  const UnitStates whole = learn(fitted, write_history("all.csv", fitted, 40, 1, 30), options);
  UnitStates pieces = learn(fitted, write_history("1.csv", fitted, 40, 1, 12), options);
  save_units(pieces, path("units.parquet"));
  pieces = update_units(load_units(fitted, path("units.parquet")),
                        {.path = write_history("2.csv", fitted, 40, 13, 30)}, timed());
  expect_same(whole, pieces);
  // With fewer kept rows, the older rows are summarised at a mean that the kept rows improve.
  const auto distance = [&](std::size_t keep) {
    options.keep_rows = keep;
    UnitStates some = learn(fitted, path("1.csv"), options);
    some = update_units(some, {.path = path("2.csv")}, timed());
    const std::vector<double> found = distances(whole, some);
    return found[found.size() / 2];
  };
  EXPECT_LT(distance(10), distance(0));
}

TEST_F(UnitStatesTest, OfGaussianOutcomesAreExactInPiecesAlsoWhenRowsAreForgotten) {
  const Fitted fitted(unit_model(3, OutputFamily::kGaussian));
  UpdateOptions options = timed();
  options.half_life = 5;
  for (const std::size_t keep : {0, 4}) {
    options.keep_rows = keep;
    const UnitStates whole = learn(fitted, write_history("all.csv", fitted, 20, 1, 30), options);
    const UnitStates first = learn(fitted, write_history("1.csv", fitted, 20, 1, 12), options);
    const UnitStates both =
        update_units(first, {.path = write_history("2.csv", fitted, 20, 13, 30)}, timed());
    for (std::size_t i = 0; i < whole.parts().means.size(); ++i)
      EXPECT_NEAR(both.parts().means[i], whole.parts().means[i], 1e-9);
    for (std::size_t i = 0; i < whole.parts().factors.size(); ++i)
      EXPECT_NEAR(both.parts().factors[i], whole.parts().factors[i], 1e-9);
  }
}

TEST_F(UnitStatesTest, ForgetRowsButNeverThePrior) {
  const Fitted fitted(unit_model(2, OutputFamily::kGaussian));
  UpdateOptions options = timed();
  options.half_life = 3;
  options.keep_rows = UpdateOptions::kAllRows;
  const UnitStates states = learn(fitted, write_history("all.csv", fitted, 1, 1, 8), options);
  const RowStore& rows = states.parts().kept;
  // precision = I + sum_r 2^(-age_r / half-life) a_r a_r' / noise²
  std::vector<double> precision(packed_size(3), 0.0);
  for (std::size_t i = 0; i < 3; ++i) precision[packed_size(i) + i] = 1;
  const auto add_rows = [&](double now, double sign) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double weight = sign * std::exp2(-(now - rows[r].time()) / 3) / (0.8 * 0.8);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          precision[packed_size(i) + j] += weight * rows[r].direction()[i] * rows[r].direction()[j];
      }
    }
  };
  const auto expect_precision = [&](std::span<const double> factor) {
    std::vector<double> expected = precision;
    ASSERT_TRUE(factorize_packed(expected, 3));
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(factor[i], expected[i], 1e-12);
  };
  add_rows(8, 1);
  expect_precision(states.parts().factor(0));
  // Later, all rows are older. After a long time only the prior is left.
  add_rows(8, -1);
  add_rows(20, 1);
  expect_precision(states.belief(0, 20)->factor);
  const UnitBelief forgotten = *states.belief(0, 1000);
  EXPECT_NEAR(forgotten.factor[0], 1, 1e-12);
  EXPECT_NEAR(forgotten.weights[0], 0, 1e-12);
}

TEST_F(UnitStatesTest, KnowAsOfATimeOnlyStrictlyEarlierRows) {
  const Fitted fitted(unit_model(3));
  UpdateOptions options = timed();
  options.keep_rows = UpdateOptions::kAllRows;
  const UnitStates states = learn(fitted, write_history("all.csv", fitted, 5, 1, 20), options);
  const UnitStates early = learn(fitted, write_history("early.csv", fitted, 5, 1, 7), options);
  for (std::size_t unit = 0; unit < 5; ++unit) {
    EXPECT_THAT(states.belief(unit, 8)->mean, ElementsAreArray(early.belief(unit).mean));
    EXPECT_THAT(states.belief(unit, 7.5)->factor, ElementsAreArray(early.belief(unit).factor));
    EXPECT_THAT(states.belief(unit, 21)->mean, ElementsAreArray(states.belief(unit).mean));
    EXPECT_EQ(states.belief(unit, 1), std::nullopt);
  }
}

TEST_F(UnitStatesTest, RefuseATimeThatTheSummaryHasPassed) {
  const Fitted fitted(unit_model(3));
  UpdateOptions options = timed();
  options.keep_rows = 3;
  const UnitStates states = learn(fitted, write_history("all.csv", fitted, 1, 1, 10), options);
  EXPECT_THAT(refusal([&] { states.belief(0, 8); }), HasSubstr("not earlier than this row"));
  EXPECT_EQ(refusal([&] { states.belief(0, 8.5); }), "accepted");
  const UnitStates untimed = learn(fitted, path("all.csv"), {.unit = "who"});
  EXPECT_THAT(refusal([&] { untimed.belief(0, 8); }), HasSubstr("the history has no times"));
}

TEST_F(UnitStatesTest, RefuseRowsThatAreAlreadyCounted) {
  const Fitted fitted(unit_model(2));
  const UnitStates states = learn(fitted, write_history("1.csv", fitted, 3, 1, 5));
  const auto update = [&](const std::string& history, const UpdateOptions& options) {
    return refusal([&] { update_units(states, {.path = history}, options); });
  };
  EXPECT_THAT(update(write_history("2.csv", fitted, 3, 5, 6), timed()),
              HasSubstr("row 1: the row is not later than the last row of unit 'u0'"));
  EXPECT_EQ(update(write_history("3.csv", fitted, 3, 6, 6), timed()), "accepted");
  EXPECT_THAT(update(path("3.csv"), {.unit = "who"}), HasSubstr("--units needs --time COL"));
  UpdateOptions other = timed();
  other.half_life = 2;
  EXPECT_THAT(update(path("3.csv"), other), HasSubstr("was made with no half-life"));
  UpdateOptions negative = timed();
  negative.half_life = -1;
  EXPECT_THAT(update(path("3.csv"), negative), HasSubstr("give a positive number"));
  const UnitStates untimed = learn(fitted, path("1.csv"), {.unit = "who"});
  EXPECT_THAT(refusal([&] { update_units(untimed, {.path = path("3.csv")}, timed()); }),
              HasSubstr("was made without --time"));
}

TEST_F(UnitStatesTest, AreTheSameForAnyNumberOfThreads) {
  const Fitted fitted(unit_model(4));
  const std::string history = write_history("all.csv", fitted, 700, 1, 6);
  UpdateOptions options = timed();
  options.keep_rows = 2;
  options.threads = 1;
  const UnitStates one = learn(fitted, history, options);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    expect_same(learn(fitted, history, options), one);
  }
}

TEST_F(UnitStatesTest, AreSavedAsTheSameBytesByAnyNumberOfThreads) {
  const Fitted fitted(unit_model(1));
  const UnitStates states = learn(fitted, write_history("all.csv", fitted, 5000, 1, 1));
  const auto bytes = [&](const std::string& name, int threads) {
    save_units(states, path(name), threads);
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const char* name : {"units.parquet", "units.csv"}) {
    const std::string one = bytes(name, 1);
    for (const int threads : {2, 7}) EXPECT_EQ(bytes(name, threads), one) << name;
    expect_same(load_units(fitted, path(name)), states);
  }
}

TEST_F(UnitStatesTest, SurviveSavingAndLoadingToTheBit) {
  for (const OutputFamily family : {OutputFamily::kBernoulli, OutputFamily::kPoisson}) {
    const Fitted fitted(unit_model(3, family));
    UpdateOptions options = timed();
    options.half_life = 7.5;
    options.keep_rows = 4;
    const UnitStates states = learn(fitted, write_history("all.csv", fitted, 30, 1, 9), options);
    for (const char* name : {"units.parquet", "units.csv"}) {
      save_units(states, path(name));
      const UnitStates loaded = load_units(fitted, path(name));
      expect_same(states, loaded);
      EXPECT_EQ(loaded.half_life(), 7.5);
      EXPECT_EQ(loaded.keep_rows(), 4U);
      EXPECT_TRUE(loaded.has_times());
    }
  }
}

TEST_F(UnitStatesTest, OfAnotherModelAreRefused) {
  const Fitted fitted(unit_model(2));
  save_units(learn(fitted, write_history("all.csv", fitted, 3, 1, 4)), path("units.parquet"));
  const Fitted other(unit_model(2, OutputFamily::kBernoulli, 0.7));
  EXPECT_THAT(refusal([&] { load_units(other, path("units.parquet")); }),
              HasSubstr("was made with another model"));
}

TEST_F(UnitStatesTest, OfAModelWithoutUnitsAreRefused) {
  Fitted::Parts parts = unit_model(2);
  parts.deviations.reset();
  // A fit with units that found no differences: nothing is learned about a unit, and that is fine.
  const Fitted alike(parts);
  const UnitStates states = learn(alike, write_history("all.csv", alike, 3, 1, 4));
  EXPECT_THAT(states.belief(0).weights, testing::Each(0.0));
  parts.roles.unit.clear();
  EXPECT_THAT(refusal([&] { UnitStates(Fitted(parts)); }), HasSubstr("fitted without units"));
}

TEST_F(UnitStatesTest, RefuseADamagedFile) {
  const Fitted fitted(unit_model(1));
  UpdateOptions options = timed();
  options.keep_rows = 2;
  save_units(learn(fitted, write_history("all.csv", fitted, 1, 1, 4), options), path("good.csv"));
  std::ifstream in(path("good.csv"));
  std::string header, row;
  std::getline(in, header);
  std::getline(in, row);
  const auto with = [&](const std::string& column, const std::string& value) {
    const auto split = [](const std::string& line) {
      std::vector<std::string> cells{""};
      for (const char c : line) {
        if (c == ',') cells.emplace_back();
        if (c != ',') cells.back() += c;
      }
      return cells;
    };
    const std::vector<std::string> names = split(header);
    std::vector<std::string> cells = split(row);
    cells.at(std::ranges::find(names, column) - names.begin()) = value;
    std::ofstream out(path("bad.csv"));
    out << header << '\n' << fmt::format("{}\n", fmt::join(cells, ","));
    out.close();
    return refusal([&] { load_units(fitted, path("bad.csv")); });
  };
  EXPECT_EQ(with("unit", "u0"), "accepted");
  EXPECT_THAT(with("rows", "0"), HasSubstr("row 1: the number of rows does not match"));
  EXPECT_THAT(with("rows", "2.5"), HasSubstr("rows is not a count"));
  EXPECT_THAT(with("keep_rows", "1"), HasSubstr("does not match the kept rows"));
  EXPECT_THAT(with("keep_rows", "0"), HasSubstr("does not match the column kept"));
  EXPECT_THAT(with("half_life", "-1"), HasSubstr("half_life is negative"));
  EXPECT_THAT(with("last_time", "9"), HasSubstr("not the time of the last kept row"));
  EXPECT_THAT(with("factor_1_1", "0.5"), HasSubstr("not that of a posterior"));
  EXPECT_THAT(with("factor_2_2", "-1"), HasSubstr("not that of a posterior"));
  EXPECT_THAT(with("mean_1", "1e80"), HasSubstr("mean_1 is too large"));
  EXPECT_THAT(with("mean_1", ""), HasSubstr("mean_1"));
  EXPECT_THAT(with("kept", "3 0 1 1 0.5 0.5 1 0;4 0 1"), HasSubstr("kept is cut off"));
  EXPECT_THAT(with("kept", "3 0 2 1 0.5 0.5 1 0"), HasSubstr("not allowed"));
  EXPECT_THAT(with("kept", "3 x"), HasSubstr("not a number"));
  EXPECT_THAT(with("kept", "4 0 1 1 0.5 0.5 1 0;3 0 1 1 0.5 0.5 1 0"),
              HasSubstr("not ordered by time"));
  EXPECT_THAT(with("model", "00"), HasSubstr("another model"));
}

TEST_F(UnitStatesTest, AreNotAppliedToTheirOwnRows) {
  const Fitted fitted(unit_model(2));
  UpdateOptions options = timed();
  options.keep_rows = UpdateOptions::kAllRows;
  const UnitStates states = learn(fitted, write_history("all.csv", fitted, 3, 1, 8), options);
  const auto apply = [&](const std::string& table, const std::string& time) {
    return refusal([&] { require_new_rows({&states, "who", time}, {.path = table}); });
  };
  EXPECT_THAT(apply(write_history("shared.csv", fitted, 3, 8, 9), ""),
              HasSubstr("row 1: this row is also in the history"));
  EXPECT_EQ(apply(path("shared.csv"), "t"), "accepted");
  EXPECT_EQ(apply(write_history("new.csv", fitted, 3, 9, 9), ""), "accepted");
}

}  // namespace
}  // namespace otss
