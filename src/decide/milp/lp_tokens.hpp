// This header divides an LP file into tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

struct LpToken {
  enum class Kind { kNumber, kName, kSign, kRelation, kColon, kTimes, kSection, kOther, kEnd };
  Kind kind;
  // The text of the token. For a section, this is its standard name, such as "bounds". For a
  // relation, it is <=, >= or =.
  std::string text;
  double value = 0;
  std::size_t line = 0;
};

// Returns the tokens of the text, and skips comments. A keyword begins a section only if the
// keyword is at the start of a line and no colon follows. The last token is kEnd.
std::vector<LpToken> lp_tokens(std::string_view text);

// Returns true if the word has a meaning of its own in an LP file. Such a word begins a section, or
// is a keyword such as "free". A variable or constraint with such a name could not be read again.
bool is_lp_keyword(std::string_view word);

}  // namespace otss::internal
