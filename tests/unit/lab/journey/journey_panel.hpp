// A small made-up panel in the layout of the Complete Journey tables, and what is in it.
#pragma once

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "lab/journey/journey.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {

using namespace internal;

struct PanelProduct {
  std::string department, category, type;
  bool private_label = false;
  std::string item, role;  // empty: no breakfast
};

struct PanelLine {
  int household = 0, week = 0, basket = 0, product = 0;
  double sales_value = 0, discount = 0;
};

inline constexpr JourneySizes kPanelSizes{.train_rows = 200, .test_rows = 100, .library = 10};

class Panel {
 public:
  Panel() {
    make_products();
    make_lines();
    write_products();
    write_lines();
    write_people();
    folder_.write("campaigns.csv", "campaign_id,household_id\n7,101\n7,102\n8,101\n");
    folder_.write("campaign_descriptions.csv",
                  "campaign_id,campaign_type,start_date,end_date\n7,Type A,2017-03-01,2017-04-01\n"
                  "8,Type B,2017-08-01,2017-09-01\n");
    folder_.write("coupon_redemptions.csv",
                  "household_id,coupon_upc,campaign_id,redemption_date\n101,5,7,2017-03-05\n");
  }

  const Folder& folder() const { return folder_; }
  std::string path() const { return folder_.path(""); }
  const std::vector<PanelLine>& lines() const { return lines_; }
  const PanelProduct& product(const PanelLine& line) const { return products_[line.product]; }

 private:
  static constexpr int kHouseholds = 40, kPeople = 36;  // four have no demographics
  static constexpr std::array<const char*, 12> kRoles = {"milk",  "cereal",  "egg",    "meat",
                                                         "bread", "griddle", "pastry", "yogurt",
                                                         "fruit", "juice",   "coffee", "spread"};

  void make_products() {
    for (const char* role : kRoles) {
      for (const bool is_private : {false, true}) {
        products_.push_back({"GROCERY", fmt::format("AISLE {}", role), "PLAIN", is_private,
                             fmt::format("{}_plain", role), role});
      }
    }
    for (const char* department : {"PRODUCE", "MEAT", "DRUG GM", "FUEL"})
      products_.push_back({department, "OTHER", "OTHER"});
  }

  void make_lines() {
    Rng rng(17);
    int basket = 0;
    for (int household = 101; household < 101 + kHouseholds; ++household) {
      for (int week = 1; week <= 53; ++week) {
        if (rng.uniform() < 0.3) continue;
        ++basket;
        for (std::size_t i = 0, count = 1 + rng.below(4); i < count; ++i) {
          const double price = rng.uniform(0.5, 5);
          const double discount = rng.uniform() < 0.4 ? rng.uniform(0.1, 1) : 0;
          const int product = static_cast<int>(rng.below(products_.size()));
          lines_.push_back({household, week, basket, product, price, discount});
        }
      }
    }
  }

  void write_products() const {
    std::string products = "product_id,department,brand,product_category,product_type\n";
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const PanelProduct& p = products_[i];
      products += fmt::format("{},{},{},{},{}\n", i, p.department,
                              p.private_label ? "Private" : "National", p.category, p.type);
    }
    folder_.write("products.csv", products);
    std::string items = "item,role,health,convenience,indulgence,kid_appeal\n";
    std::string rules = "priority,product_category,product_type_regex,item\n";
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      const double score = static_cast<double>(i) / 12;
      items += fmt::format("{0}_plain,{0},{1},{2},0.5,{3}\n", kRoles[i], 2 * score - 1,
                           static_cast<double>(i * 5 % 12) / 12, score * score);
      rules += fmt::format("{},AISLE {},^PLA,{}_plain\n", i + 1, kRoles[i], kRoles[i]);
    }
    folder_.write("breakfast_items.csv", items);
    // Comes later, so that it never speaks.
    folder_.write("breakfast_rules.csv", rules + "99,AISLE milk,.,egg_plain\n");
  }

  void write_lines() const {
    std::string text =
        "household_id,store_id,basket_id,product_id,quantity,sales_value,retail_disc,coupon_disc,"
        "coupon_match_disc,week,transaction_timestamp\n";
    for (const PanelLine& line : lines_) {
      text += fmt::format("{},{},{},{},1,{},{},0,0,{},2017-01-02 {:02}:00:00\n", line.household,
                          line.household % 3, line.basket, line.product, line.sales_value,
                          line.discount, line.week, line.basket % 24);
    }
    // A line without product, one without quantity and one without value.
    text += "101,1,1,999999,1,1,0,0,0,1,2017-01-01 10:00:00\n";
    text += "101,1,1,0,0,1,0,0,0,1,2017-01-01 10:00:00\n";
    text += "101,1,1,0,1,0,0,0,0,1,2017-01-01 10:00:00\n";
    folder_.write("transactions.csv", text);
  }

  void write_people() const {
    static constexpr std::array<const char*, 4> kAges = {"19-24", "35-44", "55-64", "65+"};
    static constexpr std::array<const char*, 3> kIncomes = {"Under 15K", "50-74K", "250K+"};
    static constexpr std::array<const char*, 3> kHomes = {"Homeowner", "", "Renter"};
    std::string text =
        "household_id,age,income,home_ownership,marital_status,household_size,household_comp,"
        "kids_count\n";
    for (int i = 0; i < kPeople; ++i) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{}\n", 101 + i, kAges[i % 4], kIncomes[i % 3],
                      kHomes[i % 3], i % 2 == 0 ? "Married" : "Unmarried", i % 5 == 0 ? "5+" : "2",
                      i % 7 == 0 ? "1 Adult Kids" : "2 Adults No Kids", i % 7 == 0 ? "3+" : "0");
    }
    folder_.write("demographics.csv", text);
  }

  Folder folder_;
  std::vector<PanelProduct> products_;
  std::vector<PanelLine> lines_;
};

}  // namespace otss
