#include "lab/theory/shipped_fit.hpp"

#include <string>

namespace otss::internal {

Fitted fit_shipped(std::span<const double> contexts, std::span<const double> factors,
                   std::span<const float> outcomes) {
  const std::size_t n = outcomes.size();
  const auto columns = [n](std::span<const double> matrix) {
    std::vector<std::vector<double>> result(matrix.size() / n);
    for (std::size_t i = 0; i < matrix.size(); ++i) result[i % result.size()].push_back(matrix[i]);
    return result;
  };
  const auto named = [](const std::vector<std::vector<double>>& values, const char* prefix) {
    std::vector<NamedColumn> result;
    for (const auto& column : values)
      result.push_back({.name = prefix + std::to_string(result.size() + 1), .numbers = column});
    return result;
  };
  const auto x = columns(contexts);
  const auto z = columns(factors);
  const std::vector<double> y(outcomes.begin(), outcomes.end());
  return fit(make_log(named(x, "x"), named(z, "z"), y, {.threads = 1}), {.threads = 1});
}

std::vector<double> shipped_weights(const Fitted& fitted, std::span<const double> context) {
  const std::vector<RawValue> raw(context.begin(), context.end());
  std::vector<double> x(fitted.num_contexts()), w(fitted.encoder().factors.size());
  fitted.encoder().encode(raw, x);
  fitted.weights(x, w);
  return w;
}

}  // namespace otss::internal
