#include "base/isa.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

// The choice is made once per process, so each is made in a process of its own, which says on
// stderr what it chose.
[[noreturn]] void choose(const char* wanted) {
  setenv("OTSS_ISA", wanted, 1);
  int code = 0;
  try {
    std::fprintf(stderr, "chose %s\n", isa_name(active_isa()).data());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = error.code() == ErrorCode::kUsage ? 2 : 1;
  }
  std::_Exit(code);
}

class IsaDeathTest : public testing::Test {
 protected:
  IsaDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST(Isa, HasABaselineEverywhere) { EXPECT_TRUE(isa_supported(Isa::kBaseline)); }

TEST_F(IsaDeathTest, IsTheOneThatTheEnvironmentNames) {
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    EXPECT_EXIT(choose(isa_name(isa).data()), testing::ExitedWithCode(0),
                "chose " + std::string(isa_name(isa)));
  }
}

TEST_F(IsaDeathTest, IsTheBestSupportedWhenNothingIsNamed) {
  Isa best = Isa::kBaseline;
  for (const Isa isa : kAllIsas) {
    if (isa_supported(isa)) best = isa;
  }
  EXPECT_EXIT(choose(""), testing::ExitedWithCode(0), "chose " + std::string(isa_name(best)));
}

TEST_F(IsaDeathTest, IsNeverChosenInsteadOfOneThatIsNotThere) {
  EXPECT_EXIT(choose("sse9"), testing::ExitedWithCode(2),
              "OTSS_ISA=sse9: set OTSS_ISA to baseline, avx2 or avx512, or unset OTSS_ISA");
  for (const Isa isa : kAllIsas) {
    if (isa_supported(isa)) continue;
    EXPECT_EXIT(choose(isa_name(isa).data()), testing::ExitedWithCode(2),
                "this processor does not support this instruction set; set OTSS_ISA=");
  }
}

}  // namespace
}  // namespace otss
