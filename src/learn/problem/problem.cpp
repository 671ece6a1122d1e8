#include "learn/problem/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "base/row_blocks.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/gauss_newton.hpp"
#include "learn/options/defaults.hpp"
#include "model/maps/quadratic.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

Problem Problem::restricted_to(const std::function<bool(std::size_t)>& keep) const {
  Problem some = *this;
  some.rows = rows.restricted_to(keep);
  return some;
}

Box Problem::box(const MixtureLayout& layout) const {
  return expert_box(bounds.standardised, layout);
}

Box expert_box(const Box& bounds, const MixtureLayout& layout) {
  if (bounds.empty()) return {};
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Box box{std::vector<double>(layout.size(), -kNone), std::vector<double>(layout.size(), kNone)};
  for (int k = 0; k < layout.num_experts; ++k) {
    std::ranges::copy(bounds.lower, box.lower.begin() + layout.expert(k));
    std::ranges::copy(bounds.upper, box.upper.begin() + layout.expert(k));
  }
  return box;
}

double Problem::mean_outcome() const {
  double sum = 0;
  for (std::size_t i = 0; i < num_rows(); ++i) sum += weight(i) * outcome(i);
  return sum / rows.total();
}

namespace {

void require_few_columns(const LoggedData& log) {
  const int columns = log.num_contexts() + log.num_factors();
  if (columns <= defaults::kMostColumns) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format(
          "the log has {} columns after encoding ({} of contexts and {} of factors), but at most "
          "{} can be fitted, because {} columns already take about a minute; name fewer "
          "columns in --context and --factors, or combine rare levels of text columns",
          columns, log.num_contexts(), log.num_factors(), defaults::kMostColumns,
          defaults::kMostColumns));
}

}  // namespace

Problem whole_problem(const LoggedData& log, OutputFamily family, const OutcomeUnits& units,
                      const Box& own_bounds) {
  require_few_columns(log);
  // This shared_ptr does not own the tiles. Tiles may have gigabytes, so they are not copied.
  const std::shared_ptr<const TileMatrix> features(std::shared_ptr<void>(), &log.features());
  const WeightBounds bounds = weight_bounds(own_bounds, log.encoder(), units);
  if (family == OutputFamily::kBernoulli)
    return {features, log.num_contexts(), SignedWeights(log.outcomes(), log.weights()), {}, bounds};
  const std::vector<float> no_signs(log.num_rows(), 1.0F);
  return {features, log.num_contexts(), SignedWeights(no_signs, log.weights()),
          Outcomes(family, log.outcomes(), units), bounds};
}

Problem rows_of(const Problem& problem, std::span<const std::size_t> rows) {
  const int columns = problem.features->num_columns();
  auto features = std::make_shared<TileMatrix>(rows.size(), columns);
  std::vector<float> signs(rows.size());
  std::vector<float> weights(rows.size());
  for_row_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (int c = 0; c < columns; ++c) features->at(i, c) = problem.features->at(rows[i], c);
      const float row = problem.rows[rows[i]];
      signs[i] = row > 0 ? 1.0F : 0.0F;
      weights[i] = std::abs(row);
    }
  });
  return {std::move(features),       problem.num_contexts, SignedWeights(signs, weights),
          problem.outcomes.of(rows), problem.bounds,       problem.offsets.of(rows)};
}

Problem subsample(const Problem& problem, std::size_t num_rows, std::vector<std::size_t>* chosen) {
  std::vector<std::size_t> counting;
  counting.reserve(problem.num_rows());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.rows[i] != 0) counting.push_back(i);
  }
  // The subsample should represent all times and groups, and logs are often sorted by time or
  // group. So one random row is taken from each of `wanted` intervals of about equal length.
  Rng rng(0x5EED);
  std::vector<std::size_t> picked;
  const std::size_t wanted = std::min(num_rows, counting.size());
  const double stretch = static_cast<double>(counting.size()) / static_cast<double>(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto at = static_cast<std::size_t>((static_cast<double>(i) + rng.uniform()) * stretch);
    picked.push_back(counting[std::min(at, counting.size() - 1)]);
  }
  Problem result = rows_of(problem, picked);
  if (chosen != nullptr) *chosen = std::move(picked);
  return result;
}

std::unique_ptr<Engine> make_engine(const Problem& problem, int num_experts, int num_threads) {
  return make_cpu_engine(*problem.features, problem.num_contexts, problem.rows, num_experts,
                         num_threads, active_isa(), problem.outcomes, problem.offsets);
}

Eigen::MatrixXd curvature(const Problem& problem, std::span<const double> theta,
                          const MixtureLayout& layout, int num_threads, Mixed mixed) {
  return gauss_newton(*problem.features, problem.rows, theta, layout, num_threads, problem.family(),
                      mixed);
}

Problem quadratic_problem(const Problem& problem) {
  const int p = problem.num_contexts;
  const auto columns = static_cast<int>(num_quadratic_columns(p));
  const int num_factors = problem.num_factors();
  auto features = std::make_shared<TileMatrix>(problem.num_rows(), columns + num_factors);
  std::vector<double> x(p);
  std::vector<double> expanded(columns);
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    for (int j = 0; j < p; ++j) x[j] = problem.features->at(i, j);
    quadratic_columns(x, expanded);
    for (int j = 0; j < columns; ++j) features->at(i, j) = static_cast<float>(expanded[j]);
    for (int j = 0; j < num_factors; ++j)
      features->at(i, columns + j) = problem.features->at(i, p + j);
  }
  Problem result = problem;
  result.features = std::move(features);
  result.num_contexts = columns;
  return result;
}

}  // namespace otss::internal
