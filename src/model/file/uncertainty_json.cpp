#include "model/file/uncertainty_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/maps/gate_columns.hpp"

namespace otss::internal {
namespace {

// The numbers in the field `uncertainty` lie between -kLargest and kLargest. With this limit, the
// products that are summed to a variance stay finite.
constexpr double kLargest = 1e60;

constexpr const char* kNormal = "normal";
constexpr const char* kDraws = "draws";

std::vector<double> moderate_numbers(const Json& list, JsonFields& fields,
                                     const std::string& name) {
  const Json row = {{"row", list}};
  std::vector<double> values = JsonFields(row, fields.where() + '.' + name).numbers("row");
  if (std::ranges::any_of(values, [](double v) { return v > kLargest || v < -kLargest; }))
    fields.fail(name, "has a number outside -1e60 to 1e60; fit the model again");
  return values;
}

// Writes the rows of a covariance factor without their trailing zeros. Since the factor is
// triangular, this leaves out about half of its entries.
Json factor_to_json(const NormalUncertainty::Factor& factor) {
  Json rows = Json::array();
  const std::size_t rank = factor.rank;
  for (std::size_t first = 0; first < factor.rows.size(); first += rank) {
    const auto row = std::span(factor.rows).subspan(first, rank);
    std::size_t length = rank;
    while (length > 0 && row[length - 1] == 0) --length;
    rows.push_back(std::vector<double>(row.begin(), row.begin() + length));
  }
  return rows;
}

// Reads the rows of a covariance factor. The rank of the factor is the length of the longest row,
// but at least `least_rank`.
NormalUncertainty::Factor factor_from_json(JsonFields& fields, const std::string& name,
                                           std::size_t num_parameters, std::size_t least_rank,
                                           std::size_t most_rank) {
  const Json& rows = fields.array(name);
  if (rows.size() != num_parameters)
    fields.fail(name, fmt::format("does not have {} rows; fit the model again", num_parameters));
  std::vector<std::vector<double>> entries;
  std::size_t rank = least_rank;
  for (const Json& row : rows) {
    entries.push_back(moderate_numbers(row, fields, name));
    rank = std::max(rank, entries.back().size());
  }
  if (rank > most_rank) fields.fail(name, "has a row that is too long; fit the model again");
  NormalUncertainty::Factor factor{{}, static_cast<int>(rank)};
  for (std::vector<double>& row : entries) {
    row.resize(rank, 0.0);
    factor.rows.insert(factor.rows.end(), row.begin(), row.end());
  }
  return factor;
}

AnyUncertainty normal_from_json(JsonFields& fields, std::shared_ptr<const SoftMixture> mixture) {
  const bool linear = mixture != nullptr && mixture->gate_kind() == GateKind::kLinear;
  const bool quadratic = mixture != nullptr && mixture->gate_kind() == GateKind::kQuadratic;
  if (!linear && !quadratic)
    fields.fail("kind",
                "has the value 'normal', but the model does not have a linear or quadratic gate, "
                "which this kind needs; fit the model again");
  const MixtureSize size{num_gate_columns(mixture->num_contexts(), quadratic),
                         mixture->num_factors(), mixture->num_experts()};
  if (size.size() > NormalUncertainty::kMostParameters ||
      size.num_factors > NormalUncertainty::kMostFactors)
    fields.fail("kind",
                "has the value 'normal', but the model has too many parameters for this kind; fit "
                "the model again");
  constexpr std::size_t kMostRank = NormalUncertainty::kMostRank;
  NormalUncertainty::Factor weights = factor_from_json(fields, "factor", size.size(), 1, kMostRank);
  NormalUncertainty::Factor baseline;
  if (fields.has("baseline_factor")) {
    baseline = factor_from_json(fields, "baseline_factor", size.baseline_size(), weights.rank,
                                weights.rank + kMostRank);
  }
  return std::make_shared<NormalUncertainty>(std::move(mixture), std::move(weights),
                                             std::move(baseline));
}

// Sets the posterior of each draw. The draws of one posterior are consecutive. The field
// `posteriors` has the number of draws of each posterior.
void assign_posteriors(JsonFields& fields, std::vector<DrawnUncertainty::Draw>& draws) {
  std::size_t posterior = 0;
  std::size_t next = 0;
  for (const double count : fields.numbers("posteriors")) {
    const double left = static_cast<double>(draws.size() - next);
    if (!(count >= 1 && count <= left && count == std::floor(count)))
      fields.fail("posteriors", "does not add up to the number of draws; fit the model again");
    for (const std::size_t end = next + static_cast<std::size_t>(count); next < end; ++next)
      draws[next].posterior = posterior;
    ++posterior;
  }
  if (next != draws.size())
    fields.fail("posteriors", "does not add up to the number of draws; fit the model again");
}

// Reads the baseline of each draw.
void read_baselines(JsonFields& fields, int num_columns,
                    std::vector<DrawnUncertainty::Draw>& draws) {
  const Json& rows = fields.array("baseline_draws");
  if (rows.size() != draws.size())
    fields.fail("baseline_draws",
                fmt::format("does not have {} entries; fit the model again", draws.size()));
  for (std::size_t d = 0; d < draws.size(); ++d) {
    const MixtureSize size{num_columns, 0, draws[d].num_experts};
    draws[d].baseline = moderate_numbers(rows[d], fields, "baseline_draws");
    if (draws[d].baseline.size() != size.baseline_size())
      fields.fail("baseline_draws",
                  fmt::format("does not have {} numbers in entry {}; fit the model again",
                              size.baseline_size(), d + 1));
  }
}

Json posteriors_to_json(const std::vector<DrawnUncertainty::Draw>& draws) {
  std::vector<std::size_t> counts;
  for (std::size_t d = 0; d < draws.size(); ++d) {
    if (d == 0 || draws[d].posterior != draws[d - 1].posterior) counts.push_back(0);
    ++counts.back();
  }
  return counts;
}

AnyUncertainty draws_from_json(JsonFields& fields, const Scorer& scorer) {
  const std::string gate = fields.text("gate");
  if (gate != "linear" && gate != "quadratic")
    fields.fail("gate",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  const Json& rows = fields.array("draws");
  if (rows.size() < 2 || rows.size() > DrawnUncertainty::kMostDraws)
    fields.fail("draws", fmt::format("does not have 2 to {} entries; fit the model again",
                                     DrawnUncertainty::kMostDraws));
  const MixtureSize one{num_gate_columns(scorer.num_contexts(), gate == "quadratic"),
                        scorer.num_factors(), 1};
  // A draw with K experts has K (columns + 1 + J) - (columns + 1) numbers.
  const std::size_t per_expert = one.num_columns + 1 + one.num_factors;
  std::vector<DrawnUncertainty::Draw> draws;
  for (const Json& row : rows) {
    std::vector<double> parameters = moderate_numbers(row, fields, "draws");
    const std::size_t entries = parameters.size() + one.num_columns + 1;
    if (parameters.empty() || entries % per_expert != 0)
      fields.fail(
          "draws",
          "has an entry whose length does not match any number of experts; fit the model again");
    draws.push_back({static_cast<int>(entries / per_expert), 0, std::move(parameters)});
  }
  assign_posteriors(fields, draws);
  if (fields.has("baseline_draws")) read_baselines(fields, one.num_columns, draws);
  const double spread = fields.number("spread");
  if (!(spread > 0 && spread < kLargest))
    fields.fail("spread", "is not a positive number below 1e60; fit the model again");
  return std::make_shared<DrawnUncertainty>(scorer.num_contexts(), scorer.num_factors(),
                                            gate == "quadratic", std::move(draws), spread);
}

// Writes an uncertainty of the kind 'normal'. Returns null if the model has no uncertainty.
Json to_json(const NormalUncertainty* normal) {
  if (normal == nullptr) return nullptr;
  Json json = {{"kind", kNormal}, {"factor", factor_to_json(normal->factor())}};
  if (normal->knows_baseline()) json["baseline_factor"] = factor_to_json(normal->baseline());
  return json;
}

Json to_json(const DrawnUncertainty* drawn) {
  if (drawn == nullptr) return nullptr;
  Json draws = Json::array();
  for (const auto& draw : drawn->draws()) draws.push_back(draw.parameters);
  Json json = {{"kind", kDraws},
               {"gate", drawn->quadratic() ? "quadratic" : "linear"},
               {"spread", drawn->spread()},
               {"posteriors", posteriors_to_json(drawn->draws())},
               {"draws", std::move(draws)}};
  if (!drawn->knows_baseline()) return json;
  for (const auto& draw : drawn->draws()) json["baseline_draws"].push_back(draw.baseline);
  return json;
}

}  // namespace

Json uncertainty_to_json(const AnyUncertainty& uncertainty) {
  return std::visit([](const auto& one) { return to_json(one.get()); }, uncertainty);
}

AnyUncertainty uncertainty_from_json(JsonFields& document, const AnyScorer& scorer) {
  if (document.field("uncertainty").is_null()) return {};
  JsonFields fields = document.object("uncertainty");
  const std::string kind = fields.text("kind");
  if (as_scorer(scorer).as_weight_map() == nullptr)
    document.fail("uncertainty",
                  "describes weights, but the model has no weights; fit the model again");
  AnyUncertainty uncertainty;
  if (kind == kNormal) {
    uncertainty = normal_from_json(fields, as_soft_mixture(scorer));
  } else if (kind == kDraws) {
    uncertainty = draws_from_json(fields, as_scorer(scorer));
  } else {
    fields.fail("kind",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  }
  fields.finish();
  return uncertainty;
}

}  // namespace otss::internal
