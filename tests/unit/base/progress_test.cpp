#include "otss/base/progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace otss {
namespace {

TEST(Progress, IsEmptyWhereNobodyListens) { EXPECT_FALSE(Progress()); }

TEST(Progress, TellsAListenerThatReturnsNothing) {
  std::string heard;
  const Progress progress([&](double fraction, std::string_view what) {
    heard = std::string(what) + " " + std::to_string(fraction);
  });
  progress(0.5, "reading");
  EXPECT_EQ(heard, "reading 0.500000");
}

TEST(Progress, GoesOnWhileTheListenerReturnsTrueAndEndsOnFalse) {
  const Progress progress([](double fraction, std::string_view) { return fraction < 0.5; });
  EXPECT_NO_THROW(progress(0.4, ""));
  try {
    progress(0.5, "");
    FAIL() << "was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
}

}  // namespace
}  // namespace otss
