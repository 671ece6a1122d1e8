#include "report/trust/tried_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

std::string words_of_setting(const TriedMixture& tried) {
  const std::string experts = tried.linear_weights ? "weights linear in the context"
                              : tried.experts == 1 ? "one trade-off for everybody"
                                                   : fmt::format("{} experts", tried.experts);
  std::vector<std::string> words{experts};
  if (tried.mixes_probabilities) words.emplace_back("their probabilities averaged");
  if (tried.same_shares) words.emplace_back("the same shares in every context");
  if (tried.learns_relevance) words.emplace_back("relevance of each column learned");
  if (tried.experts > 1 && !tried.same_shares)
    words.push_back(fmt::format("gate penalty {:.3g}", tried.gate_penalty));
  if (tried.experts > 1 || tried.linear_weights)
    words.push_back(fmt::format("expert penalty {:.3g}", tried.expert_penalty));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string value_text(const ReportValue& value) {
  return std::visit([](const auto& one) { return fmt::format("{}", one); }, value);
}

std::string words_of_setting(const NamedValues& setting) {
  std::vector<std::string> words;
  for (const auto& [name, value] : setting)
    words.push_back(fmt::format("{} {}", name, value_text(value)));
  return words.empty() ? "the only setting" : fmt::format("{}", fmt::join(words, ", "));
}

void add_settings(const AveragedSettings& settings, std::vector<TriedFacts>& facts) {
  for (const TriedMixture& one : settings.tried)
    facts.push_back({words_of_setting(one), one.log_loss, one.weight, one.weight > 0});
}

void add_settings(const ComparedSettings& settings, std::vector<TriedFacts>& facts) {
  for (const ComparedSettings::Tried& one : settings.tried)
    facts.push_back({words_of_setting(one.setting), one.log_loss, one.weight.value_or(kNotKnown),
                     one.weight ? *one.weight > 0 : one.setting == settings.chosen});
}

// Returns true if --gate auto chose this gate.
bool is_chosen(GateChoice gate, const Fitted& fitted) {
  if (fitted.mixture() == nullptr) return false;
  switch (fitted.mixture()->gate_kind()) {
    case GateKind::kQuadratic: return gate == GateChoice::kQuadratic;
    case GateKind::kNetwork: return gate == GateChoice::kMlp;
    default: return gate == GateChoice::kLinear;
  }
}

}  // namespace

std::vector<TriedFacts> tried_facts(const Fitted& fitted) {
  std::vector<TriedFacts> facts;
  const auto& choice = fitted.report().choice;
  if (!choice) return facts;
  for (const TriedGate& one : choice->gates)
    facts.push_back(
        {word(one.gate) + " gate", one.log_loss, kNotKnown, is_chosen(one.gate, fitted)});
  std::visit([&](const auto& settings) { add_settings(settings, facts); }, choice->settings);
  std::erase_if(facts, [](const TriedFacts& one) { return std::isnan(one.log_loss); });
  std::ranges::stable_sort(facts, {}, &TriedFacts::log_loss);
  return facts;
}

}  // namespace otss::internal
