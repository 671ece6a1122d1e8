#include "describe_model.hpp"

#include <fmt/core.h>

#include <map>

#include "base/json.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

std::string signed_number(double value) { return fmt::format("{:+.4g}", value); }

// The best penalty of each K is what a reader wants to see of the settings tried.
std::string describe_tried(const Json& selection) {
  std::map<int, Json> best;
  for (const Json& tried : selection["tried"]) {
    const auto [found, fresh] = best.try_emplace(tried["experts"].get<int>(), tried);
    if (!fresh && tried["log_loss"] < found->second["log_loss"]) found->second = tried;
  }
  TextTable table({"experts", "held-out log-loss", "gate penalty", "expert penalty", ""});
  const int chosen = selection["chosen"]["experts"];
  for (const auto& [experts, tried] : best) {
    const bool pooled = experts == 1;
    table.add({std::to_string(experts), fmt::format("{:.5f}", tried["log_loss"].get<double>()),
               pooled ? "" : fmt::format("{:.3g}", tried["gate"].get<double>()),
               pooled ? "" : fmt::format("{:.3g}", tried["expert"].get<double>()),
               experts == chosen ? "chosen" : ""});
  }
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
  out += describe_tried(selection);
  out += fmt::format("  {}\n\n", selection["why"].get<std::string>());
  if (fitted.method() != "pooled") out += describe_heterogeneity(provenance["heterogeneity"]) + "\n";
  out += describe_experts(fitted);
  const Json& optimizer = provenance["optimizer"];
  out += fmt::format("\noptimizer: {} ({} passes, best of {})\n", optimizer["message"].get<std::string>(),
                     optimizer["passes"].get<int>(), optimizer["starts"].get<int>());
  return out;
}

}  // namespace otss::app
