#include <fmt/core.h>

#include <algorithm>

#include "data/table/letter_case.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss {

using namespace internal;

bool ReadingRules::is_missing(std::string_view text) const {
  return std::any_of(missing.begin(), missing.end(), [&](const std::string& word) {
    return word.size() == text.size() && equals_lower(text, word);
  });
}

void ReadingRules::validate() const {
  for (const std::string& word : missing) {
    if (word.empty() || lower_case(word) != word) {
      throw Error(ErrorCode::kInput,
                  fmt::format("the word '{}' for a missing number must be in small letters and not "
                              "empty; correct this word in ReadingRules::missing",
                              word));
    }
  }
  if (decimal != '.') {
    throw Error(
        ErrorCode::kInput,
        fmt::format("the decimal sign '{}' is not supported yet; write numbers with '.'", decimal));
  }
}

}  // namespace otss
