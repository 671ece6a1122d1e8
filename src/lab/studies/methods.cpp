#include "lab/studies/methods.hpp"

#include <map>
#include <string_view>

namespace otss::internal {

std::string method_title(const std::string& name) {
  static const std::map<std::string, std::string> titles = {
      {"linear", "linear contextual"},
      {"low-rank", "low-rank contextual"},
      {"mlp", "MLP contextual"},
      {"cluster", "cluster-then-fit"},
      {"em", "EM mixture regression"},
      {"hard", "matched hard routing"},
      {"gbm", "gradient-boosted trees"},
      {"otss", "OTSS"},
      {"otss-paper", "OTSS, paper's recipe"},
      {"otss-paper-wide", "OTSS, paper's, more ridges"},
      {"otss-map", "OTSS, map"},
      {"otss-8", "OTSS, 8 experts"},
      {"otss-linear", "OTSS, linear gate"},
      {"otss-quadratic", "OTSS, quadratic gate"},
      {"otss-mlp", "OTSS, network gate"},
      {"auto", "OTSS, default"},
      {"learned-gate", "learned gate, true experts"},
      {"learned-experts", "learned experts, true gate"},
      {"otss-history", "OTSS with history"},
      {"otss-no-history", "OTSS without history"},
      {"mixed-logit", "mixed logit"},
      {"unit-models", "one model per unit"},
      {"unit-columns", "unit columns with ridge"},
      {"unit-classes", "EM classes"},
      {kOracleGate, "oracle gate"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

Entrant study_entrant(const std::string& name, int experts) {
  constexpr std::string_view kOwn = "otss-";
  FitOptions options;
  if (name.starts_with(kOwn)) {
    options.method = Method::kOtss;
    options.estimator = parse_word<Estimator>(name.substr(kOwn.size())).value();
  } else {
    options.method = parse_word<Method>(name).value();
  }
  if (options.method == Method::kOtss || options.method == Method::kHard) options.experts = experts;
  return {name, options};
}

std::vector<Entrant> study_entrants(const std::vector<std::string>& names, int experts) {
  std::vector<Entrant> entrants;
  for (const std::string& name : names) entrants.push_back(study_entrant(name, experts));
  return entrants;
}

Json to_json(const std::vector<Entrant>& entrants) {
  Json json = Json::object();
  for (const Entrant& entrant : entrants) {
    const FitOptions& options = entrant.options;
    Json one = {{"method", word(options.method)}};
    if (options.method == Method::kOtss)
      one.update({{"estimator", word(options.estimator)}, {"gate", word(options.gate)}});
    if (!options.experts.is_auto()) one["experts"] = options.experts.value;
    if (options.no_intercept) one["no_intercept"] = true;
    json[entrant.name] = std::move(one);
  }
  return json;
}

}  // namespace otss::internal
