#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "lab/journey/derivation.hpp"
#include "unit/lab/journey/journey_panel.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::AllOf;
using ::testing::HasSubstr;

class JourneyDerivation : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    panel_ = new Panel;
    derived_ = new DerivedTables(derive_journey(panel_->path(), kPanelSizes));
  }
  static void TearDownTestSuite() {
    delete derived_;
    delete panel_;
  }

  // The lines before a context, less those of departments that do not count.
  static std::vector<PanelLine> history(double household, double week) {
    std::vector<PanelLine> result;
    for (const PanelLine& line : panel_->lines()) {
      if (line.household == household && line.week < week &&
          panel_->product(line).department != "FUEL")
        result.push_back(line);
    }
    return result;
  }

  // Calls check(row, household, week, history) for every training context.
  template <class Check>
  static void for_each_context(const Check& check) {
    const auto& household = column_of(derived_->train, "household").numbers;
    const auto& week = column_of(derived_->train, "week").numbers;
    ASSERT_FALSE(household.empty());
    for (std::size_t i = 0; i < household.size(); ++i)
      check(i, household[i], week[i], history(household[i], week[i]));
  }

  static double context(std::size_t row, const char* column) {
    return column_of(derived_->train, column).numbers[row];
  }

  static Panel* panel_;
  static DerivedTables* derived_;
};

Panel* JourneyDerivation::panel_ = nullptr;
DerivedTables* JourneyDerivation::derived_ = nullptr;

TEST_F(JourneyDerivation, DropsLinesStepByStep) {
  const auto fuel = std::ranges::count_if(panel_->lines(), [](const PanelLine& line) {
    return panel_->product(line).department == "FUEL";
  });
  const JourneyCounts& counts = derived_->counts;
  EXPECT_EQ(counts.transactions, panel_->lines().size() + 3);
  EXPECT_EQ(counts.with_product, panel_->lines().size() + 2);
  EXPECT_EQ(counts.sold, panel_->lines().size());
  EXPECT_EQ(counts.lines, panel_->lines().size() - fuel);
  EXPECT_EQ(counts.households, 40U);
  EXPECT_EQ(counts.described_households, 36U);
}

TEST_F(JourneyDerivation, KnowsOnlyWhatHappenedInEarlierWeeks) {
  for_each_context([](std::size_t row, double, double week, const std::vector<PanelLine>& past) {
    double spend = 0;
    std::set<int> weeks;
    for (const PanelLine& line : past) {
      spend += line.sales_value;
      weeks.insert(line.week);
    }
    EXPECT_GE(past.size(), 10U);
    EXPECT_NEAR(context(row, "log_spend_per_week"), std::log(spend / (week - 1)), 1e-12);
    EXPECT_NEAR(context(row, "active_rate"), static_cast<double>(weeks.size()) / (week - 1), 1e-12);
    EXPECT_EQ(context(row, "recency"), week - *weeks.rbegin());
  });
}

TEST_F(JourneyDerivation, ShrinksSharesTowardsEverybody) {
  double everybody = 0;
  std::size_t lines = 0;
  for (const PanelLine& line : panel_->lines()) {
    if (panel_->product(line).department == "FUEL") continue;
    everybody += panel_->product(line).private_label ? 1 : 0;
    ++lines;
  }
  everybody /= static_cast<double>(lines);
  for_each_context([&](std::size_t row, double, double, const std::vector<PanelLine>& past) {
    const auto own = std::ranges::count_if(
        past, [](const PanelLine& line) { return panel_->product(line).private_label; });
    EXPECT_NEAR(
        context(row, "private_label_share"),
        (static_cast<double>(own) + 10 * everybody) / (static_cast<double>(past.size()) + 10),
        1e-12);
  });
}

TEST_F(JourneyDerivation, GivesRolesSharesThatSumToOne) {
  for_each_context([](std::size_t row, double, double, const std::vector<PanelLine>& past) {
    double sum = 0;
    for (const Column& column : derived_->train.columns) {
      if (column.name.starts_with("role_")) sum += column.numbers[row];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    double milk = 0, breakfast = 0;
    for (const PanelLine& line : past) {
      milk += panel_->product(line).role == "milk" ? 1 : 0;
      breakfast += panel_->product(line).item.empty() ? 0 : 1;
    }
    const double everybody = column_of(derived_->role_shares, "role_milk").numbers[0];
    EXPECT_NEAR(context(row, "role_milk"), (milk + 30 * everybody) / (breakfast + 30), 1e-12);
  });
}

TEST_F(JourneyDerivation, CountsCampaignsAndCouponsOnceTheyHaveBegun) {
  for_each_context([](std::size_t row, double household, double week, const auto&) {
    // Weeks begin on Mondays: week 11 on 6 March is the first after 1 and 5 March, week 33 on
    // 7 August the first after 1 August.
    const double first = week >= 11 ? 1 : 0;
    const double second = week >= 33 ? 1 : 0;
    const double campaigns = household == 101 ? first + second : household == 102 ? first : 0;
    EXPECT_EQ(context(row, "campaigns"), campaigns) << household << ' ' << week;
    EXPECT_EQ(context(row, "redemptions"), household == 101 ? first : 0);
  });
}

TEST_F(JourneyDerivation, KeepsHouseholdsApartAndTheirRowsFew) {
  std::map<double, int> rows;
  std::set<double> train;
  for (const double household : column_of(derived_->train, "household").numbers) {
    train.insert(household);
    ++rows[household];
  }
  for (const double household : column_of(derived_->test, "household").numbers) {
    EXPECT_FALSE(train.contains(household));
    ++rows[household];
  }
  for (const auto& [household, count] : rows) EXPECT_LE(count, 12) << household;
  EXPECT_TRUE(std::ranges::is_sorted(column_of(derived_->train, "household").numbers));
  EXPECT_EQ(derived_->train.num_rows, kPanelSizes.train_rows);
  EXPECT_EQ(derived_->test.num_rows, kPanelSizes.test_rows);
}

// The roles bought in a week, by household and week.
TEST_F(JourneyDerivation, LeavesOutWeeksInWhichABundleWasBought) {
  std::map<std::pair<double, double>, std::set<std::string>> roles;
  for (const PanelLine& line : panel_->lines()) {
    if (!panel_->product(line).role.empty())
      roles[{line.household, line.week}].insert(panel_->product(line).role);
  }
  const std::set<std::string> sides = {"fruit", "milk", "juice", "coffee"};
  const auto is_bundle = [&](const std::set<std::string>& bought) {
    const auto num_sides =
        std::ranges::count_if(bought, [&](const auto& role) { return sides.contains(role); });
    const auto num_mains = static_cast<std::ptrdiff_t>(bought.size()) - num_sides -
                           (bought.contains("spread") ? 1 : 0);
    return bought.size() >= 3 && num_sides > 0 && num_mains > 0;
  };
  std::size_t bundle_weeks = 0;
  for (const auto& [key, bought] : roles) bundle_weeks += is_bundle(bought) ? 1 : 0;
  EXPECT_EQ(derived_->counts.bundle_weeks, bundle_weeks);
  for_each_context([&](std::size_t, double household, double week, const auto&) {
    EXPECT_FALSE(is_bundle(roles[{household, week}]));
  });
}

TEST_F(JourneyDerivation, ReadsParquetAsItReadsCsv) {
  const Panel other;
  for (const std::string name : {"products", "campaigns", "breakfast_items"}) {
    other.folder().convert(other.folder().path(name + ".csv"), name + ".parquet");
    std::filesystem::remove(other.folder().path(name + ".csv"));
  }
  const DerivedTables again = derive_journey(other.path(), kPanelSizes);
  for (std::size_t c = 0; c < again.train.columns.size(); ++c)
    EXPECT_EQ(again.train.columns[c].numbers, derived_->train.columns[c].numbers);
  EXPECT_EQ(column_of(again.bundles, "items").texts, column_of(derived_->bundles, "items").texts);
}

std::string derive_error(const std::string& folder, const JourneySizes& sizes = kPanelSizes) {
  return error_of([&] { derive_journey(folder, sizes); });
}

TEST(JourneyTables, SayWhatToPutWhereWhenTheyAreNotThere) {
  EXPECT_THAT(derive_error("/nowhere/journey"),
              AllOf(HasSubstr("'/nowhere/journey' is not a folder"),
                    HasSubstr("R package completejourney (CC0)"), HasSubstr("coupon_redemptions")));
  const Panel panel;
  std::filesystem::remove(panel.folder().path("products.csv"));
  EXPECT_THAT(derive_error(panel.path()), AllOf(HasSubstr("no products.csv, .csv.gz or .parquet"),
                                                HasSubstr("R package completejourney")));
}

TEST(JourneyTables, SayWhichColumnIsMissing) {
  const Panel panel;
  panel.folder().write("campaigns.csv", "campaign,household_id\n1,101\n");
  EXPECT_THAT(derive_error(panel.path()),
              AllOf(HasSubstr("campaigns.csv' has no column 'campaign_id'"),
                    HasSubstr("needs the columns campaign_id, household_id")));
}

TEST(JourneyTables, SayWhichLabelIsNotKnown) {
  const Panel panel;
  std::string people = read_file(panel.folder().path("demographics.csv"));
  for (std::size_t at = 0; (at = people.find("65+", at)) != std::string::npos;)
    people.replace(at, 3, "old");
  panel.folder().write("demographics.csv", people);
  EXPECT_THAT(derive_error(panel.path()), HasSubstr("'age' of household"));
}

TEST(JourneyTables, SayWhichValueCannotBeRead) {
  const Panel panel;
  panel.folder().write("coupon_redemptions.csv", "household_id,redemption_date\n101,some day\n");
  EXPECT_THAT(derive_error(panel.path()), HasSubstr("some day"));
}

TEST(JourneyTables, SayWhenTheyAreTooSmall) {
  const Panel panel;
  EXPECT_THAT(derive_error(panel.path(), {}),
              HasSubstr("training contexts, but the study needs 5000"));
}

}  // namespace
}  // namespace otss
