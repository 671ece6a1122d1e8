#include "learn/options/option_check.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace otss {
namespace {

using namespace internal;

// The names of the options whose description says so.
struct Names {
  Recorded recorded;
  std::set<std::string>& out;
  template <class... Field>
  void operator()(const OptionText& text, const Field&...) const {
    if (text.recorded == recorded) out.insert(text.name);
  }
};

std::set<std::string> names_of(Recorded recorded) {
  std::set<std::string> names;
  const FitOptions options;
  describe_fit_options(options, Names{recorded, names});
  return names;
}

TEST(RecordedOptions, LeaveOutWhatIsDescribedAsChangingNoResult) {
  EXPECT_EQ(names_of(Recorded::kNo), (std::set<std::string>{"device", "storage", "threads"}));
  const NamedValues record = recorded_options({.sign = "z1=+", .bounds = "z2=0:1", .threads = 3});
  std::set<std::string> kept;
  for (const auto& [name, value] : record) kept.insert(name);
  EXPECT_EQ(kept, names_of(Recorded::kYes));
}

TEST(RecordedOptions, AreWordsNumbersAndFlags) {
  const NamedValues record = recorded_options({.method = Method::kEm,
                                               .experts = 3,
                                               .no_intercept = true,
                                               .validation = 0.25,
                                               .seed = 9007199254740991});
  EXPECT_EQ(record.at("method"), ReportValue("em"));
  EXPECT_EQ(record.at("estimator"), ReportValue("auto"));
  EXPECT_EQ(record.at("experts"), ReportValue(3));
  EXPECT_EQ(record.at("folds"), ReportValue("auto"));
  EXPECT_EQ(record.at("no-intercept"), ReportValue(true));
  EXPECT_EQ(record.at("validation"), ReportValue(0.25));
  EXPECT_EQ(record.at("seed"), ReportValue(std::int64_t{9007199254740991}));
  EXPECT_FALSE(record.contains("sign"));
}

}  // namespace
}  // namespace otss
