#include "report/sections/origin_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "otss/model/model_file.hpp"

namespace otss::internal {
namespace {

std::string option_text(const ReportValue& value) {
  return std::visit([](const auto& plain) { return fmt::format("{}", plain); }, value);
}

std::vector<RoleFacts> roles_of(const Roles& roles) {
  std::vector<RoleFacts> facts{{"context", roles.contexts}, {"factors", roles.factors}};
  const std::pair<const char*, const std::string*> single[] = {
      {"outcome", &roles.outcome}, {"weight", &roles.weight}, {"group", &roles.group},
      {"unit", &roles.unit},       {"time", &roles.time},     {"centered by", &roles.centered_by}};
  for (const auto& [role, column] : single) {
    if (!column->empty()) facts.push_back({role, {*column}});
  }
  return facts;
}

}  // namespace

OriginFacts origin_facts(const Fitted& fitted, const std::string& model,
                         const std::vector<std::string>& command) {
  OriginFacts facts;
  facts.checksum = model_checksum(fitted);
  for (const auto& [name, value] : fitted.report().options)
    facts.options.push_back({name, option_text(value)});
  facts.roles = roles_of(fitted.roles());
  facts.commands.push_back({"fit this model again, to the same log or to another one",
                            fmt::format("otss fit LOG --from {} -o NEW_MODEL", shell_word(model))});
  std::vector<std::string> words;
  for (const std::string& one : command) words.push_back(shell_word(one));
  if (!words.empty())
    facts.commands.push_back({"make this report again", fmt::format("{}", fmt::join(words, " "))});
  return facts;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ',' ||
           c == '=' || c == ':' || c == '+';
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace otss::internal
