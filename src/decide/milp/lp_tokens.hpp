// The tokens of an LP file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

struct LpToken {
  enum class Kind { kNumber, kName, kSign, kRelation, kColon, kTimes, kSection, kOther, kEnd };
  Kind kind;
  std::string text;  // of a section: its standard name ("bounds"); of a relation: <=, >= or =
  double value = 0;
  std::size_t line = 0;
};

// Returns the tokens of the text without comments. A keyword begins a section only if it is at the
// start of a line and no colon follows it. The last token is kEnd.
std::vector<LpToken> lp_tokens(std::string_view text);

}  // namespace otss::internal
