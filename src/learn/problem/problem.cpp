#include "learn/problem/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "data/log/disk/copied_rows.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/gauss_newton.hpp"
#include "engine/row_chunks.hpp"
#include "learn/options/defaults.hpp"
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
  return {features, log.num_contexts(), signed_weights_of(log, family),
          Outcomes(family, log.outcomes(), units), bounds};
}

Problem rows_of(const Problem& problem, std::span<const std::size_t> rows) {
  std::vector<float> signs(rows.size());
  std::vector<float> weights(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float row = problem.rows[rows[i]];
    signs[i] = row > 0 ? 1.0F : 0.0F;
    weights[i] = std::abs(row);
  }
  return {std::make_shared<const TileMatrix>(copied_rows(*problem.features, rows)),
          problem.num_contexts,
          SignedWeights(signs, weights),
          problem.outcomes.of(rows),
          problem.bounds,
          problem.offsets.of(rows)};
}

std::vector<std::size_t> spread_positions(std::size_t count, std::size_t wanted) {
  // The positions should represent all times and groups, and logs are often sorted by time or
  // group. So one random position is taken from each of `wanted` intervals of about equal length.
  Rng rng(0x5EED);
  std::vector<std::size_t> picked;
  wanted = std::min(wanted, count);
  const double stretch = static_cast<double>(count) / static_cast<double>(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto at = static_cast<std::size_t>((static_cast<double>(i) + rng.uniform()) * stretch);
    picked.push_back(std::min(at, count - 1));
  }
  return picked;
}

Problem subsample(const Problem& problem, std::size_t num_rows, std::vector<std::size_t>* chosen) {
  const bool all_count =
      problem.rows.unit() && problem.rows.total() == static_cast<double>(problem.num_rows());
  std::vector<std::size_t> counting;
  for (std::size_t i = 0; !all_count && i < problem.num_rows(); ++i) {
    if (problem.rows[i] != 0) counting.push_back(i);
  }
  std::vector<std::size_t> picked =
      spread_positions(all_count ? problem.num_rows() : counting.size(), num_rows);
  for (std::size_t& row : picked) row = all_count ? row : counting[row];
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
  Problem result = problem;
  result.features =
      std::make_shared<const TileMatrix>(quadratic_tiles(*problem.features, problem.num_contexts));
  result.num_contexts = result.features->num_columns() - problem.num_factors();
  return result;
}

std::unique_ptr<Rows> make_rows(const LoggedData& log, const RowsDevice& by) {
  return make_device_rows(log, by);
}

}  // namespace otss::internal
