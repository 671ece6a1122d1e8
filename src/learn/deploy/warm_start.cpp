#include "learn/deploy/warm_start.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

[[noreturn]] void refuse_start(const std::string& why) {
  throw Error(ErrorCode::kInput, fmt::format("--init: {}", why));
}

// Converts an encoded column from the new log's units to the model's: x_old = unit * x_new + shift.
struct ColumnMap {
  int old_column = -1;  // -1: the model does not have this column
  double unit = 1;
  double shift = 0;
};

// Holds the indices of the encoded columns that belong to one context column.
struct Offsets {
  int values = -1;   // index of the number, or of the first level's indicator; -1: none
  int missing = -1;  // index of the indicator of missing values; -1: none
};

Offsets offsets(const ContextColumn& column, int first) {
  const int size = column.num_encoded();
  Offsets result;
  if (column.has_missing && size > 0) result.missing = first + size - 1;
  if (size > (column.has_missing ? 1 : 0)) result.values = first;
  return result;
}

// Returns the conversion of an indicator, a number that is 0 or 1. An encoder encodes it as
// (indicator - frequency) / 0.5. The frequencies of the model's and of the log's encoder differ.
ColumnMap indicator_map(int old_column, double old_frequency, double new_frequency) {
  return {old_column, 1, (new_frequency - old_frequency) / 0.5};
}

void map_column(const ContextColumn& old_column, int old_first, const ContextColumn& new_column,
                int new_first, std::vector<ColumnMap>& maps) {
  const Offsets from = offsets(old_column, old_first);
  const Offsets to = offsets(new_column, new_first);
  if (from.missing >= 0 && to.missing >= 0) {
    maps[to.missing] =
        indicator_map(from.missing, old_column.missing_frequency, new_column.missing_frequency);
  }
  if (from.values < 0 || to.values < 0) return;
  if (old_column.kind == ColumnKind::kNumber) {
    maps[to.values] = {from.values, new_column.scale / old_column.scale,
                       (new_column.center - old_column.center) / old_column.scale};
    return;
  }
  for (std::size_t level = 0; level < new_column.levels.size(); ++level) {
    const auto found = std::ranges::find(old_column.levels, new_column.levels[level]);
    if (found == old_column.levels.end()) continue;
    const auto at = found - old_column.levels.begin();
    maps[to.values + level] =
        indicator_map(from.values + static_cast<int>(at), old_column.level_frequencies[at],
                      new_column.level_frequencies[level]);
  }
}

// Fills `maps` for the pairs of levels that both encoders have. A pair is found by the names of its
// columns and levels.
void map_pairs(const Encoder& model, const Encoder& log, std::vector<ColumnMap>& maps) {
  const std::vector<std::string> old_names = model.encoded_names();
  const std::vector<std::string> new_names = log.encoded_names();
  const auto frequencies = [](const Encoder& encoder) {
    std::vector<double> all;
    for (const LevelPairs& pairs : encoder.level_pairs)
      all.insert(all.end(), pairs.frequencies.begin(), pairs.frequencies.end());
    return all;
  };
  const std::vector<double> old_frequencies = frequencies(model);
  const std::vector<double> new_frequencies = frequencies(log);
  const std::size_t old_first = old_names.size() - old_frequencies.size();
  const std::size_t new_first = new_names.size() - new_frequencies.size();
  for (std::size_t i = 0; i < new_frequencies.size(); ++i) {
    const auto found = std::find(old_names.begin() + static_cast<std::ptrdiff_t>(old_first),
                                 old_names.end(), new_names[new_first + i]);
    if (found == old_names.end()) continue;
    const std::size_t old_column = found - old_names.begin();
    maps[new_first + i] = indicator_map(
        static_cast<int>(old_column), old_frequencies[old_column - old_first], new_frequencies[i]);
  }
}

std::string_view kind_in_words(ColumnKind kind) {
  return kind == ColumnKind::kText ? "text" : "a number";
}

std::vector<ColumnMap> map_contexts(const Encoder& model, const Encoder& log) {
  if (model.contexts.size() != log.contexts.size())
    refuse_start(
        fmt::format("the model has {} context columns, but --context names {}; name the context "
                    "columns of the model in --context",
                    model.contexts.size(), log.contexts.size()));
  std::vector<ColumnMap> maps(log.num_encoded());
  int new_first = 0;
  for (const ContextColumn& column : log.contexts) {
    int old_first = 0;
    auto old_column = model.contexts.begin();
    for (; old_column != model.contexts.end() && old_column->name != column.name; ++old_column)
      old_first += old_column->num_encoded();
    if (old_column == model.contexts.end())
      refuse_start(fmt::format(
          "'{}' is not a context column of the model; name the context columns of the model in "
          "--context",
          column.name));
    if (old_column->kind != column.kind)
      refuse_start(fmt::format(
          "context '{}' is {} in the log, but {} in the model; give it the type that it has in the "
          "model",
          column.name, kind_in_words(column.kind), kind_in_words(old_column->kind)));
    map_column(*old_column, old_first, column, new_first, maps);
    new_first += column.num_encoded();
  }
  map_pairs(model, log, maps);
  return maps;
}

// Converts slopes on the model's encoded columns to slopes on the new log's encoded columns. The
// conversion also gives a constant, which is added to `intercept`.
void translate(std::span<const double> old_slopes, const std::vector<ColumnMap>& maps,
               std::span<double> new_slopes, double& intercept) {
  for (std::size_t j = 0; j < maps.size(); ++j) {
    if (maps[j].old_column < 0) continue;
    new_slopes[j] = old_slopes[maps[j].old_column] * maps[j].unit;
    intercept += old_slopes[maps[j].old_column] * maps[j].shift;
  }
}

std::size_t factor_in_model(const Encoder& model, const std::string& name) {
  const auto found = std::ranges::find(model.factors, name, &FactorColumn::name);
  if (found == model.factors.end())
    refuse_start(fmt::format(
        "'{}' is not a factor of the model; name the factors of the model in --factors", name));
  return found - model.factors.begin();
}

}  // namespace

WarmStart warm_start(const Fitted& model, const Encoder& log) {
  const auto mixture = as_soft_mixture(model.parts().scorer);
  const auto* gate = mixture != nullptr ? std::get_if<LinearGate>(&mixture->gate()) : nullptr;
  if (gate == nullptr)
    refuse_start(
        "this model is not a mixture with a linear gate, and a fit can start only from such a "
        "mixture; leave out --init");
  const int p = log.num_encoded();
  const int num_experts = mixture->num_experts();
  WarmStart start{{p, static_cast<int>(log.factors.size()), num_experts}, {}};
  const MixtureLayout& layout = start.layout;
  start.theta.assign(layout.size(), 0.0);
  const auto maps = map_contexts(model.encoder(), log);
  if (model.encoder().factors.size() != log.factors.size())
    refuse_start(
        "--factors does not name the same number of factors as the model has; name the factors of "
        "the model in --factors");

  const auto put = [&](std::span<const double> slopes, double intercept, std::size_t first) {
    translate(slopes, maps, std::span(start.theta).subspan(first, p), intercept);
    start.theta[first + p] = intercept;
  };
  const auto p_old = static_cast<std::size_t>(gate->num_contexts());
  const auto row = [&](int k) { return gate->slopes().subspan(k * p_old, p_old); };
  for (int k = 0; k + 1 < num_experts; ++k) {
    std::vector<double> difference(row(k).begin(), row(k).end());
    for (std::size_t j = 0; j < p_old; ++j) difference[j] -= row(num_experts - 1)[j];
    put(difference, gate->intercepts()[k] - gate->intercepts()[num_experts - 1], layout.gate(k));
  }
  const Baseline& baseline = model.baseline();
  put(std::span(baseline.slopes).first(p_old), baseline.intercept, layout.baseline());
  for (int k = 0; k < num_experts; ++k) {
    double intercept = baseline.expert_intercepts[k];
    for (int j = 0; j < layout.num_factors; ++j) {
      const FactorColumn& factor = log.factors[j];
      const std::size_t old_factor = factor_in_model(model.encoder(), factor.name);
      const double weight = mixture->expert(k)[old_factor];
      start.theta[layout.expert(k) + j] = weight * factor.scale;
      intercept += weight * (factor.center - model.encoder().factors[old_factor].center);
    }
    start.theta[layout.expert(k) + layout.num_factors] = intercept;
  }
  return start;
}

}  // namespace otss::internal
