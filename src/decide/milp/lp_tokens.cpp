#include "decide/milp/lp_tokens.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "data/table/letter_case.hpp"

namespace otss::internal {
namespace {

using Kind = LpToken::Kind;

// Maps every spelling of a section's name to its standard name. The map includes sections that are
// not supported (such as semi-continuous), so that an error message can name them.
const std::unordered_map<std::string, std::string>& sections() {
  static const std::unordered_map<std::string, std::string> names = [] {
    std::unordered_map<std::string, std::string> all;
    const auto add = [&all](const char* standard, std::initializer_list<const char*> words) {
      for (const char* word : words) all[word] = standard;
    };
    add("maximize", {"maximize", "maximise", "maximum", "max"});
    add("minimize", {"minimize", "minimise", "minimum", "min"});
    add("subject to", {"subject", "such", "st", "s.t.", "st."});
    add("bounds", {"bounds", "bound"});
    add("generals", {"generals", "general", "gen", "integers", "integer", "int"});
    add("binaries", {"binaries", "binary", "bin"});
    add("end", {"end"});
    add("semi-continuous", {"semi-continuous", "semis", "semi"});
    add("sos", {"sos", "sos1", "sos2"});
    return all;
  }();
  return names;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<LpToken> scan() {
    while (skip_blanks()) {
      const char c = text_[at_];
      if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
        take_number();
      } else if (c == '<' || c == '>' || c == '=') {
        take_relation();
      } else if (const std::size_t known = std::string_view("+-:*").find(c); known < 4) {
        constexpr Kind kKinds[] = {Kind::kSign, Kind::kSign, Kind::kColon, Kind::kTimes};
        add(kKinds[known], std::string(1, c));
        ++at_;
      } else if (kNoName.find(c) != std::string_view::npos) {
        add(Kind::kOther, std::string(1, c));
        ++at_;
      } else {
        take_name();
      }
      at_line_start_ = false;
    }
    add(Kind::kEnd, "the end of the file");
    return std::move(tokens_);
  }

 private:
  static constexpr std::string_view kNoName = "+-<>=:*[]^/\\ \t\r\n";

  bool skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ == text_.size()) break;
      if (text_[at_] == '\n') {
        ++line_;
        at_line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) {
        return true;
      }
    }
    return false;
  }

  void add(Kind kind, std::string text, double value = 0) {
    tokens_.push_back({kind, std::move(text), value, line_});
  }

  void take_number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const std::size_t length = end - (text_.data() + at_);
    const bool usable = error == std::errc() && std::isfinite(value);
    add(usable ? Kind::kNumber : Kind::kOther,
        std::string(text_.substr(at_, std::max<std::size_t>(length, 1))), value);
    at_ += std::max<std::size_t>(length, 1);
  }

  // Reads one of the relations <, <=, =<, >, >=, =>, =.
  void take_relation() {
    std::string relation;
    while (at_ < text_.size() && relation.size() < 2 &&
           std::string_view("<>=").find(text_[at_]) != std::string_view::npos) {
      relation += text_[at_++];
    }
    static const std::unordered_map<std::string, const char*> kRelations{
        {"<", "<="},  {"<=", "<="}, {"=<", "<="}, {">", ">="},
        {">=", ">="}, {"=>", ">="}, {"=", "="},   {"==", "="}};
    const auto known = kRelations.find(relation);
    const bool usable = known != kRelations.end();
    add(usable ? Kind::kRelation : Kind::kOther, usable ? known->second : relation);
  }

  void take_name() {
    const std::size_t end = std::min(text_.find_first_of(kNoName, at_), text_.size());
    std::string name(text_.substr(at_, end - at_));
    // The keyword "semi-continuous" contains a minus sign, which would end any other name.
    if (lower_case(text_.substr(at_, 15)) == "semi-continuous") name = text_.substr(at_, 15);
    at_ += name.size();
    const auto section = sections().find(lower_case(name));
    if (at_line_start_ && section != sections().end() && !colon_follows()) {
      add(Kind::kSection, section->second);
      const bool two_words = lower_case(name) == "subject" || lower_case(name) == "such";
      if (two_words) skip_word();
    } else {
      add(Kind::kName, std::move(name));
    }
  }

  bool colon_follows() const {
    const std::size_t next = text_.find_first_not_of(" \t", at_);
    return next != std::string_view::npos && text_[next] == ':';
  }

  void skip_word() {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    at_ = std::min(text_.find_first_of(" \t\r\n:", at_), text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool at_line_start_ = true;
  std::vector<LpToken> tokens_;
};

}  // namespace

bool is_lp_keyword(std::string_view word) {
  const std::string lower = lower_case(word);
  return lower == "free" || lower == "inf" || lower == "infinity" || sections().contains(lower);
}

std::vector<LpToken> lp_tokens(std::string_view text) { return Scanner(text).scan(); }

}  // namespace otss::internal
