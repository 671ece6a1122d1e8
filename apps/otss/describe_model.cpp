#include "describe_model.hpp"

#include <fmt/core.h>

#include <map>

#include "base/json.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

std::string signed_number(double value) { return fmt::format("{:+.4g}", value); }

// For each K its best penalties and the weight of all its settings: what a reader wants to see of the many tried.
std::string describe_tried(const Json& selection, const Json& validation) {
  std::map<int, Json> best;
  std::map<int, double> weight;
  std::map<int, int> count;
  for (const Json& tried : selection["tried"]) {
    const int experts = tried["experts"];
    const auto [found, fresh] = best.try_emplace(experts, tried);
    if (!fresh && tried["log_loss"] < found->second["log_loss"]) found->second = tried;
    weight[experts] += tried["weight"].get<double>();
    ++count[experts];
  }
  TextTable table({"experts", "settings", "weight", "best held-out log-loss", "its gate penalty", "expert penalty"});
  for (const auto& [experts, tried] : best) {
    const bool pooled = experts == 1;
    table.add({std::to_string(experts), std::to_string(count[experts]), fmt::format("{:.2f}", weight[experts]),
               fmt::format("{:.5f}", tried["log_loss"].get<double>()),
               pooled ? "" : fmt::format("{:.3g}", tried["gate_penalty"].get<double>()),
               pooled ? "" : fmt::format("{:.3g}", tried["expert_penalty"].get<double>())});
  }
  table.add({"average", std::to_string(selection["tried"].size()), "1.00",
             fmt::format("{:.5f}", validation["log_loss"].get<double>())});
  return table.str();
}

std::string describe_heterogeneity(const Json& h) {
  return fmt::format("Different trade-offs for different contexts {} by this log: {:+.4f} log-loss per row gained over one "
                     "trade-off for everybody, 95 % interval [{:+.4f}, {:+.4f}].\n",
                     h["supported"].get<bool>() ? "are supported" : "are not supported", h["gain"].get<double>(),
                     h["lo"].get<double>(), h["hi"].get<double>());
}

}  // namespace

std::string describe_experts(const Fitted& fitted) {
  const int experts = fitted.mixture().num_experts();
  std::vector<std::string> header{"weight of"};
  for (int k = 0; k < experts; ++k) header.push_back(experts == 1 ? "everybody" : fmt::format("expert {}", k + 1));
  TextTable table(header);
  for (int j = 0; j < fitted.num_factors(); ++j) {
    std::vector<std::string> row{fitted.encoder().factors[j].name};
    for (int k = 0; k < experts; ++k) row.push_back(signed_number(fitted.mixture().expert(k)[j]));
    table.add(std::move(row));
  }
  return table.str();
}

std::string describe_fit(const Fitted& fitted) {
  const Json provenance = Json::parse(fitted.provenance());
  const Json& selection = provenance["selection"];
  std::string out = fmt::format("{} rows, {} context columns ({} encoded), {} factors\n\n",
                                provenance["data"]["rows"].get<std::size_t>(), fitted.encoder().contexts.size(),
                                fitted.num_contexts(), fitted.num_factors());
  out += describe_tried(selection, provenance["validation"]);
  out += fmt::format("  held out: {}\n  chosen: {}\n\n", selection["split"].get<std::string>(),
                     selection["why"].get<std::string>());
  if (fitted.method() != "pooled") out += describe_heterogeneity(provenance["heterogeneity"]) + "\n";
  out += describe_experts(fitted);
  return out;
}

}  // namespace otss::app
