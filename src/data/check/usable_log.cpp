#include "data/check/usable_log.hpp"

namespace otss::internal {
namespace {

std::vector<std::string_view> usable_texts(const UsableLog& usable, const RawColumn& column) {
  std::vector<std::string_view> texts;
  texts.reserve(usable.rows.size());
  for (const std::size_t row : usable.rows) {
    const double code = column.values[row];
    texts.push_back(std::isnan(code) ? std::string_view()
                                     : column.codes.texts()[static_cast<std::size_t>(code)]);
  }
  return texts;
}

}  // namespace

std::vector<double> usable_values(const UsableLog& usable, const RawColumn& column) {
  std::vector<double> values;
  values.reserve(usable.rows.size());
  for (const std::size_t row : usable.rows) values.push_back(column.values[row]);
  return values;
}

std::vector<double> usable_outcomes(const UsableLog& usable, const RawLog& log) {
  std::vector<double> outcomes = usable_values(usable, log.outcome());
  if (usable.outcome != OutcomeKind::kBinary) return outcomes;
  for (double& outcome : outcomes) outcome = outcome == usable.one ? 1 : 0;
  return outcomes;
}

std::vector<double> usable_weights(const UsableLog& usable, const RawLog& log) {
  std::vector<double> weights;
  weights.reserve(usable.rows.size());
  for (const std::size_t row : usable.rows) weights.push_back(log.weight(row));
  return weights;
}

LoggedData make_usable_log(const UsableLog& usable, const RawLog& log, int threads) {
  // The columns in `contexts` and `factors` below point into these vectors.
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::string_view>> texts;
  numbers.reserve(usable.contexts.size() + usable.factors.size() + 1);
  texts.reserve(usable.contexts.size() + 1);
  const auto named = [&](const RawColumn& column) -> NamedColumn {
    if (column.is_text) return {column.name, {}, texts.emplace_back(usable_texts(usable, column))};
    return {column.name, numbers.emplace_back(usable_values(usable, column)), {}};
  };
  std::vector<NamedColumn> contexts, factors;
  for (const std::size_t i : usable.contexts) contexts.push_back(named(log.contexts()[i]));
  // make_log needs at least one context. A constant context adds no encoded column.
  const std::vector<double> zeros(usable.rows.size(), 0.0);
  if (contexts.empty()) contexts.push_back({"no usable context", zeros, {}});
  for (const std::size_t i : usable.factors) factors.push_back(named(log.factors()[i]));
  const std::vector<double> weights = usable_weights(usable, log);
  LogExtras extras{
      .outcome_name = log.outcome().name, .outcome = usable.outcome, .threads = threads};
  if (log.layout.weight) extras.weight = {log.columns[*log.layout.weight].name, weights, {}};
  if (log.layout.group) extras.group = named(log.columns[*log.layout.group]);
  if (log.layout.unit) extras.unit = named(log.columns[*log.layout.unit]);
  return make_log(contexts, factors, usable_outcomes(usable, log), extras);
}

}  // namespace otss::internal
