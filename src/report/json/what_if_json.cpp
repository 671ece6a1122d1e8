#include "report/json/what_if_json.hpp"

#include <cmath>

#include "base/normal_law.hpp"
#include "model/file/gate_json.hpp"
#include "model/file/schema_json.hpp"
#include "model/fitted_parts.hpp"
#include "model/uncertainty/discrepancy.hpp"
#include "report/json/packed_matrix.hpp"
#include "report/json/shown_numbers.hpp"

namespace otss::internal {
namespace {

// The most characters of the model's own numbers. A page with more would be larger than 2 MB.
constexpr std::size_t kMostModelText = 600'000;
// The most entries of the packed parameters: about 270 kB. Above it, draws are left out.
constexpr std::size_t kMostPacked = 100'000;

std::vector<double> list_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

struct MapWriter {
  Json operator()(const std::shared_ptr<const SoftMixture>& mixture) const {
    return {{"kind", "mixture"},
            {"gate", gate_to_json(mixture->gate())},
            {"experts", matrix_to_json(mixture->experts(), mixture->num_factors())}};
  }
  Json operator()(const std::shared_ptr<const LinearWeights>& map) const {
    return {{"kind", "linear weights"},
            {"slopes", matrix_to_json(map->slopes(), map->num_contexts())},
            {"intercepts", list_of(map->intercepts())}};
  }
  Json operator()(const std::shared_ptr<const NetworkWeights>& map) const {
    Json json = network_to_json(map->network());
    json["kind"] = "network weights";
    return json;
  }
  Json operator()(const std::shared_ptr<const TreeScorer>&) const { return nullptr; }
};

// Says which draws are kept if there are too many numbers: every step-th.
std::size_t thinning(std::size_t entries) { return (entries + kMostPacked - 1) / kMostPacked; }

// Returns the columns 0, step, 2 step, … of a matrix, times `factor`.
std::vector<double> some_columns(std::span<const double> matrix, std::size_t num_columns,
                                 std::size_t step, double factor) {
  std::vector<double> kept;
  for (std::size_t first = 0; first < matrix.size(); first += num_columns) {
    for (std::size_t c = 0; c < num_columns; c += step) kept.push_back(factor * matrix[first + c]);
  }
  return kept;
}

// A factor with many entries consists of normal draws, a column each (docs/reference/model-file.md).
// With fewer columns, each column counts for more.
Json factor_to_json(const CovarianceFactor& factor) {
  const std::size_t rank = factor.rank;
  const std::size_t step = thinning(factor.rows.size());
  const std::size_t kept = (rank + step - 1) / step;
  const double weight = std::sqrt(static_cast<double>(rank) / static_cast<double>(kept));
  return packed_matrix(some_columns(factor.rows, rank, step, step > 1 ? weight : 1), kept,
                       PackedCenter::kZero);
}

Json normal_to_json(const NormalUncertainty& normal, bool quadratic) {
  const std::size_t width = normal.num_factors() + 1;
  std::vector<double> half;
  for (std::size_t draw = 0; 2 * draw < static_cast<std::size_t>(normal.num_draws()); ++draw) {
    const auto row = normal.normals().subspan(draw * width, width - 1);
    half.insert(half.end(), row.begin(), row.end());
  }
  return {{"kind", "normal"},
          {"quadratic", quadratic},
          {"factor", factor_to_json(normal.factor())},
          {"normals", packed_matrix(half, width - 1, PackedCenter::kZero)},
          {"quantile", normal_quantile(0.5 + 0.5 * kReportLevel)}};
}

// Returns the parameters of consecutive draws with one row per parameter, every step-th draw.
Json group_to_json(std::span<const DrawnUncertainty::Draw> draws, std::size_t step) {
  std::vector<double> by_parameter;
  std::size_t kept = 0;
  for (std::size_t d = 0; d < draws.size(); d += step) ++kept;
  for (std::size_t p = 0; p < draws.front().parameters.size(); ++p) {
    for (std::size_t d = 0; d < draws.size(); d += step)
      by_parameter.push_back(draws[d].parameters[p]);
  }
  return {{"posterior", draws.front().posterior},
          {"experts", draws.front().num_experts},
          {"parameters", packed_matrix(by_parameter, kept, PackedCenter::kMeanOfRow)}};
}

Json draws_to_json(const DrawnUncertainty& drawn) {
  const std::vector<DrawnUncertainty::Draw>& draws = drawn.draws();
  std::size_t entries = 0;
  for (const auto& draw : draws) entries += draw.parameters.size();
  const std::size_t step = thinning(entries);
  Json groups = Json::array();
  for (std::size_t first = 0, end = 0; first < draws.size(); first = end) {
    while (end < draws.size() && draws[end].posterior == draws[first].posterior &&
           draws[end].num_experts == draws[first].num_experts)
      ++end;
    groups.push_back(group_to_json(std::span(draws).subspan(first, end - first), step));
  }
  return {{"kind", "draws"},
          {"quadratic", drawn.quadratic()},
          {"spread", drawn.spread()},
          {"groups", groups},
          {"thinned_from", step > 1 ? Json(draws.size()) : Json()}};
}

struct UncertaintyWriter {
  bool quadratic;

  Json operator()(const std::shared_ptr<const NormalUncertainty>& normal) const {
    return normal != nullptr ? normal_to_json(*normal, quadratic) : Json();
  }
  Json operator()(const std::shared_ptr<const DrawnUncertainty>& drawn) const {
    return drawn != nullptr ? draws_to_json(*drawn) : Json();
  }
};

Json baseline_to_json(const Fitted& fitted) {
  const Baseline& baseline = fitted.baseline();
  std::vector<double> centers;
  for (const FactorColumn& factor : fitted.encoder().factors) centers.push_back(factor.center);
  const std::string& centered_by = fitted.roles().centered_by;
  return {{"intercept", baseline.intercept},
          {"slopes", baseline.slopes},
          {"expert_intercepts", baseline.expert_intercepts},
          {"centers", centers},
          {"centered_by", centered_by.empty() ? Json() : Json(centered_by)}};
}

Json typical_to_json(const std::vector<TypicalValue>& values) {
  Json list = Json::array();
  for (const TypicalValue& value : values) {
    if (const auto* number = std::get_if<double>(&value)) {
      list.push_back(*number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      list.push_back(*text);
    } else {
      list.push_back(nullptr);
    }
  }
  return list;
}

Json library_to_json(const LibraryFacts& library, std::size_t num_factors) {
  return {{"ids", library.ids},
          {"factors", matrix_to_json(library.factors, num_factors)},
          {"total", library.total}};
}

// Writes what a gate that does not fit adds to the errors of the weights, or null if the gate fits.
Json discrepancy_to_json(const Fitted& fitted) {
  const std::span<const double> own = discrepancy_of(fitted.parts());
  if (own.empty() || !fitted.has_uncertainty()) return nullptr;
  return {{"sd", std::vector<double>(own.begin(), own.end())},
          {"normals", shuffled_quantiles(fitted.uncertainty().num_draws())}};
}

}  // namespace

Json what_if_to_json(const Facts& facts) {
  if (!facts.what_if) return nullptr;
  const Fitted& fitted = facts.fitted;
  const ReadingRules& rules = fitted.encoder().reading;
  const Mixture* mixture = fitted.mixture();
  const bool quadratic = mixture != nullptr && mixture->gate_kind() == GateKind::kQuadratic;
  Json json = {{"typical", typical_to_json(facts.what_if->typical)},
               {"texts", {{"trims", rules.trims_texts}, {"ignores_case", rules.ignores_case}}},
               {"level_pairs", schema_to_json(fitted.encoder(), fitted.roles())["level_pairs"]},
               {"num_encoded", fitted.num_contexts()},
               {"map", std::visit(MapWriter{}, fitted.parts().scorer)},
               {"baseline", baseline_to_json(fitted)}};
  if (json_text(json).size() > kMostModelText) return nullptr;
  json["uncertainty"] = std::visit(UncertaintyWriter{quadratic}, fitted.parts().uncertainty);
  json["discrepancy"] = discrepancy_to_json(fitted);
  json["pair_lead"] = normal_quantile(0.5 + 0.5 * kReportLevel);
  json["determined"] = fitted.knows_differences();
  json["library"] = facts.what_if->library
                        ? library_to_json(*facts.what_if->library, fitted.num_factors())
                        : Json();
  return json;
}

}  // namespace otss::internal
