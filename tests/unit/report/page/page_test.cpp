#include "report/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace otss::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageWithFacts, HasNoMarkupOfTheNames) {
  const std::string hostile = "</script><script>alert(1)</script><!-- ]]> \u2028 'x' \"y\" &amp;";
  const std::string facts = json_text({{"name", hostile}});
  const std::string page = page_with_facts(facts);
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<!-- ]]")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_THAT(page, Not(HasSubstr("OTSS_FACTS")));
}

TEST(PageWithFacts, HasAllFactsBetweenTheTagsOfTheScript) {
  const std::string facts = json_text({{"name", "a<b"}, {"value", 0.1}});
  const std::string page = page_with_facts(facts);
  const std::string begin = "id=\"facts\">";
  const std::size_t first = page.find(begin) + begin.size();
  const std::size_t last = page.find("</script>", first);
  const Json read = Json::parse(page.substr(first, last - first));
  EXPECT_EQ(json_text(read), facts);
}

}  // namespace
}  // namespace otss::internal
