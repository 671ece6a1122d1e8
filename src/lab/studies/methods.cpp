#include "lab/studies/methods.hpp"

#include <map>
#include <optional>
#include <string_view>

namespace otss::internal {
namespace {

constexpr std::string_view kTraining = "-training";

// The parts of a method's name.
struct NameParts {
  std::string base;                    // the name without its endings
  std::optional<Treatment> treatment;  // the treatment that the name has, if it has one
  bool training_rows_only = false;
  bool known_outcome = false;
};

bool drop_ending(std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

NameParts parts_of(std::string name) {
  NameParts parts;
  parts.known_outcome = drop_ending(name, kKnownOutcome);
  parts.training_rows_only = drop_ending(name, kTraining);
  for (const Treatment treatment : {Treatment::kPick, Treatment::kAverage}) {
    if (drop_ending(name, "-" + word(treatment))) parts.treatment = treatment;
  }
  parts.base = std::move(name);
  return parts;
}

// Returns the options of a method that fit() knows, or nothing.
std::optional<FitOptions> options_of(const std::string& base) {
  constexpr std::string_view kOwn = "otss-";
  FitOptions options;
  if (const auto method = parse_word<Method>(base)) {
    options.method = *method;
    return options;
  }
  if (!base.starts_with(kOwn)) return std::nullopt;
  options.method = Method::kOtss;
  const std::string rest = base.substr(kOwn.size());
  // "paper-wide" comes after "paper" in the table, so that the longer word counts.
  for (const auto& [estimator, name] : word_table(Estimator{})) {
    if (rest == name || rest.starts_with(std::string(name) + "-")) options.estimator = estimator;
  }
  return options;
}

}  // namespace

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
      {"auto", "OTSS and linear weights (auto)"},
      {"otss-paper", "OTSS, paper's recipe"},
      {"otss-paper-wide", "OTSS, paper's, more ridges"},
      {"otss-map", "OTSS, map"},
      {"otss-8", "OTSS, 8 experts"},
      {"otss-paper-8", "OTSS, paper's recipe, 8 experts"},
      {"otss-linear", "OTSS, linear gate"},
      {"otss-quadratic", "OTSS, quadratic gate"},
      {"otss-mlp", "OTSS, network gate"},
      {"auto", "OTSS, default"},
      {"hard-best", "hard regions, best number known"},
      {"hard-chosen", "hard regions, number chosen"},
      {"joint", "joint maximum likelihood"},
      {"learned-gate", "learned gate, true experts"},
      {"learned-experts", "learned experts, true gate"},
      {"otss-history", "OTSS with history"},
      {"otss-no-history", "OTSS without history"},
      {"mixed-logit", "mixed logit"},
      {"unit-models", "one model per unit"},
      {"unit-columns", "unit columns with ridge"},
      {"unit-classes", "EM classes"},
      {kOracleGate, "oracle gate"}};
  const NameParts parts = parts_of(name);
  const auto found = titles.find(parts.base);
  std::string title = found == titles.end() ? parts.base : found->second;
  if (parts.training_rows_only) title += ", training rows";
  if (parts.known_outcome) title += ", given the outcome";
  return title;
}

std::optional<Treatment> method_treatment(const std::string& name) {
  const NameParts parts = parts_of(name);
  if (parts.treatment) return parts.treatment;
  const std::optional<FitOptions> options = options_of(parts.base);
  if (!options || options->method == Method::kPooled) return std::nullopt;
  return customary_treatment(*options);
}

std::string full_title(const std::string& name) {
  const std::optional<Treatment> treatment = method_treatment(name);
  return treatment ? method_title(name) + ", " + word(*treatment) : method_title(name);
}

std::size_t even_reference(const Contest& contest, const std::string& reference, std::size_t name) {
  const std::optional<Treatment> treatment = method_treatment(contest.names[name]);
  if (treatment && treatment != method_treatment(reference)) {
    const std::size_t even = contest.index(reference + "-" + word(*treatment));
    if (even < contest.names.size()) return even;
  }
  return contest.index(reference);
}

Entrant study_entrant(const std::string& name, int experts) {
  const NameParts parts = parts_of(name);
  FitOptions options = options_of(parts.base).value();
  const bool is_told = options.method == Method::kOtss || options.method == Method::kHard ||
                       options.method == Method::kEm;
  if (is_told) options.experts = experts;
  return {name, options, parts.treatment, parts.training_rows_only};
}

std::vector<Entrant> study_entrants(const std::vector<std::string>& names, int experts) {
  std::vector<Entrant> entrants;
  for (const std::string& name : names) entrants.push_back(study_entrant(name, experts));
  return entrants;
}

std::vector<std::string> both_treatments(const std::vector<std::string>& one_treatment,
                                         const std::vector<std::string>& methods) {
  std::vector<std::string> names = one_treatment;
  for (const Treatment treatment : {Treatment::kPick, Treatment::kAverage}) {
    for (const std::string& method : methods) {
      const bool customary = method_treatment(method) == treatment;
      names.push_back(customary ? method : method + "-" + word(treatment));
    }
  }
  return names;
}

std::vector<std::string> paper_rows(bool refit) {
  if (!refit) return {"otss-paper"};
  return {"otss-paper", "otss-paper" + std::string(kTraining)};
}

std::vector<Entrant> main_entrants(bool refit, int experts, const std::vector<std::string>& more) {
  std::vector<std::string> once = {"pooled", "otss-paper-wide"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  std::vector<std::string> methods = {"linear", "low-rank", "mlp", "cluster", "em", "hard"};
  methods.insert(methods.end(), more.begin(), more.end());
  for (const char* ours : {"otss", "auto"}) methods.emplace_back(ours);
  std::vector<Entrant> entrants = study_entrants(both_treatments(once, methods), experts);
  for (Entrant& entrant : entrants)
    entrant.with_known_outcome = entrant.options.method == Method::kEm;
  return entrants;
}

Json to_json(const std::vector<Entrant>& entrants) {
  Json json = Json::object();
  for (const Entrant& entrant : entrants) {
    const FitOptions& options = entrant.options;
    Json one = {{"method", word(options.method)}};
    if (fits_segments(options.method))
      one.update({{"estimator", word(options.estimator)}, {"gate", word(options.gate)}});
    if (!options.experts.is_auto()) one["experts"] = options.experts.value;
    if (options.no_intercept) one["no_intercept"] = true;
    if (entrant.treatment) one["treatment"] = word(*entrant.treatment);
    if (entrant.training_rows_only) one["training_rows_only"] = true;
    json[entrant.name] = std::move(one);
  }
  return json;
}

}  // namespace otss::internal
