#include "report/sections/origin_facts.hpp"

#include <gtest/gtest.h>

#include "unit/report/logged_world.hpp"

namespace otss::internal {
namespace {

TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("a/b-c.csv"), "a/b-c.csv");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("my log.csv"), "'my log.csv'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(OriginFacts, HasTheCommandsAndTheRoles) {
  const OriginFacts facts =
      origin_facts(two_experts(), "my model.json", {"otss", "report", "my model.json"});
  EXPECT_EQ(facts.commands[0].text, "otss fit LOG --from 'my model.json' -o NEW_MODEL");
  EXPECT_EQ(facts.commands[1].text, "otss report 'my model.json'");
  EXPECT_EQ(facts.roles[0].columns, (std::vector<std::string>{"age", "region"}));
  EXPECT_EQ(facts.roles.back().role, "group");
  EXPECT_EQ(facts.checksum.size(), 64U);
}

}  // namespace
}  // namespace otss::internal
