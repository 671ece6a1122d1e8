#include "describe_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "json.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

std::string signed_number(double value) { return fmt::format("{:+.4g}", value); }

std::string gate_penalty(const Json& tried) {
  if (tried.at("learns_relevance").get<bool>()) return "per column";
  return fmt::format("{:.3g}", tried.at("gate_penalty").get<double>());
}

// For each K its best penalties and the weight of all its settings: what a reader wants to see of
// the many tried.
std::string describe_tried(const Json& selection, const Json& validation) {
  std::map<int, Json> best;
  std::map<int, double> weight;
  std::map<int, int> count;
  for (const Json& tried : selection.at("tried")) {
    const int experts = tried.at("experts");
    const auto [found, fresh] = best.try_emplace(experts, tried);
    if (!fresh && tried.at("log_loss") < found->second.at("log_loss")) found->second = tried;
    weight[experts] += tried.at("weight").get<double>();
    ++count[experts];
  }
  TextTable table({"experts", "settings", "weight", "best held-out log-loss", "its gate penalty",
                   "expert penalty"});
  for (const auto& [experts, tried] : best) {
    const bool pooled = experts == 1;
    table.add({std::to_string(experts), std::to_string(count[experts]),
               fmt::format("{:.2f}", weight[experts]),
               fmt::format("{:.5f}", tried.at("log_loss").get<double>()),
               pooled ? "" : gate_penalty(tried),
               pooled ? "" : fmt::format("{:.3g}", tried.at("expert_penalty").get<double>())});
  }
  table.add({"average", std::to_string(selection.at("tried").size()), "1.00",
             fmt::format("{:.5f}", validation.at("log_loss").get<double>())});
  return table.str();
}

// {"clusters": 3, "penalty": 1} as "clusters 3, penalty 1".
std::string in_words(const Json& setting) {
  std::string words;
  for (const auto& [name, value] : setting.items()) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name,
                         value.is_number_float() ? fmt::format("{:.3g}", value.get<double>())
                         : value.is_string()     ? value.get<std::string>()
                                                 : value.dump());
  }
  return words;
}

// The settings a comparison method chose among, the best first.
std::string describe_settings(const Json& selection) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::pair<double, std::string>> tried;
  for (const Json& one : selection.at("tried"))
    tried.emplace_back(one.at("log_loss").get<double>(), in_words(one.at("setting")));
  std::stable_sort(tried.begin(), tried.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  TextTable table({"setting", "held-out log-loss"});
  for (std::size_t i = 0; i < std::min(kMostShown, tried.size()); ++i)
    table.add({tried[i].second, fmt::format("{:.5f}", tried[i].first)});
  if (tried.size() > kMostShown)
    table.add({fmt::format("and {} more", tried.size() - kMostShown), ""});
  return table.str();
}

std::string describe_heterogeneity(const Json& h) {
  return fmt::format(
      "Different trade-offs for different contexts {} by this log: {:+.4f} log-loss per row gained "
      "over one "
      "trade-off for everybody, 95 % interval [{:+.4f}, {:+.4f}].\n",
      h.at("supported").get<bool>() ? "are supported" : "are not supported",
      h.at("gain").get<double>(), h.at("lo").get<double>(), h.at("hi").get<double>());
}

// Chains that did not mix, where the posterior was sampled.
std::string describe_warnings(const Json& provenance) {
  std::string out;
  for (const Json& posterior : provenance.value("posteriors", Json::array())) {
    if (posterior.contains("warning"))
      out += fmt::format("Warning: {}.\n", posterior.at("warning").get<std::string>());
  }
  return out.empty() ? out : out + "\n";
}

std::string describe_experts(const SoftMixture& mixture, const Fitted& fitted) {
  const int experts = mixture.num_experts();
  std::vector<std::string> header{"weight of"};
  for (int k = 0; k < experts; ++k)
    header.push_back(experts == 1 ? "everybody" : fmt::format("expert {}", k + 1));
  TextTable table(header);
  for (int j = 0; j < fitted.num_factors(); ++j) {
    std::vector<std::string> row{fitted.encoder().factors[j].name};
    for (int k = 0; k < experts; ++k) row.push_back(signed_number(mixture.expert(k)[j]));
    table.add(std::move(row));
  }
  return table.str();
}

}  // namespace

std::string describe_weights(const Fitted& fitted) {
  constexpr int kMostColumns = 12;
  const SoftMixture* mixture = fitted.mixture();
  const int experts = mixture != nullptr ? mixture->num_experts() : 0;
  if (!fitted.has_weights()) return "Scores only: this kind of model has no weights.\n";
  if (experts > 0 && experts <= kMostColumns) return describe_experts(*mixture, fitted);
  std::vector<double> w(fitted.num_factors());
  fitted.weights(std::vector<double>(fitted.num_contexts(), 0.0), w);
  TextTable table({"weight of", "in the average context"});
  for (int j = 0; j < fitted.num_factors(); ++j)
    table.add({fitted.encoder().factors[j].name, signed_number(w[j])});
  return table.str();
}

std::string describe_fit(const Fitted& fitted) {
  const Json provenance = Json::parse(fitted.provenance());
  const Json& selection = provenance.at("selection");
  std::string out =
      fmt::format("{} rows, {} context columns ({} encoded), {} factors\n\n",
                  provenance.at("data").at("rows").get<std::size_t>(),
                  fitted.encoder().contexts.size(), fitted.num_contexts(), fitted.num_factors());
  const bool averaged = selection.at("tried").at(0).contains("weight");
  out += averaged ? describe_tried(selection, provenance.at("validation"))
                  : describe_settings(selection);
  out += fmt::format("  held out: {}\n  chosen: {}\n\n", selection.at("split").get<std::string>(),
                     selection.at("why").get<std::string>());
  if (fitted.method() != "pooled")
    out += describe_heterogeneity(provenance.at("heterogeneity")) + "\n";
  out += describe_warnings(provenance) + describe_weights(fitted);
  return out;
}

}  // namespace otss::app
