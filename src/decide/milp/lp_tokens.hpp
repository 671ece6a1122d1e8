// The words of an LP file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

struct LpToken {
  enum class Kind { kNumber, kName, kSign, kRelation, kColon, kTimes, kSection, kOther, kEnd };
  Kind kind;
  std::string text;  // a section's standard word ("bounds"), a relation as <=, >= or =
  double value = 0;
  std::size_t line = 0;
};

// Comments go; a keyword counts as a section only at the start of a line and where no colon
// follows. The last token is kEnd.
std::vector<LpToken> lp_tokens(std::string_view text);

}  // namespace otss
