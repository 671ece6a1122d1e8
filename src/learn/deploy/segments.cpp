#include "learn/deploy/segments.hpp"

#include <algorithm>
#include <cmath>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kSegmentRows = 20'000;

// Says which column of the log an encoded column stands for, and for an indicator also which level,
// or that a value is missing. The value in the log's units is center + scale · encoded. For an
// indicator this value is 0 or 1, so its mean is a frequency.
struct ColumnMeaning {
  std::string column, level;
  bool missing = false;
  double center = 0;
  double scale = 1;
};

std::vector<ColumnMeaning> meanings(const Encoder& encoder) {
  constexpr double kIndicatorScale = 0.5;  // docs/adr/0003
  std::vector<ColumnMeaning> result;
  for (const ContextColumn& column : encoder.contexts) {
    if (column.kind == ColumnKind::kNumber && column.scale > 0)
      result.push_back({column.name, "", false, column.center, column.scale});
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      result.push_back(
          {column.name, column.levels[l], false, column.level_frequencies[l], kIndicatorScale});
    }
    if (column.has_missing)
      result.push_back({column.name, "", true, column.missing_frequency, kIndicatorScale});
  }
  return result;
}

// Holds sums over the contexts of one segment, or over all contexts.
struct ContextSums {
  double count = 0;
  std::vector<double> x, squares;  // one sum per encoded column
  std::vector<double> w;           // one sum of weights per factor

  ContextSums(std::size_t columns, std::size_t factors)
      : x(columns), squares(columns), w(factors) {}

  void add(std::span<const double> context, std::span<const double> weights) {
    ++count;
    for (std::size_t j = 0; j < context.size(); ++j) {
      x[j] += context[j];
      squares[j] += context[j] * context[j];
    }
    for (std::size_t j = 0; j < weights.size(); ++j) w[j] += weights[j];
  }
};

std::vector<ContextContrast> contrasts(const ContextSums& members, const ContextSums& all,
                                       const std::vector<ColumnMeaning>& columns) {
  std::vector<ContextContrast> result;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double mean = all.x[j] / all.count;
    const double of_members = members.x[j] / members.count;
    const double deviation = std::sqrt(all.squares[j] / all.count - mean * mean);
    if (!(deviation > 0)) continue;
    const ColumnMeaning& meaning = columns[j];
    result.push_back({meaning.column, meaning.level, meaning.missing,
                      meaning.center + meaning.scale * of_members,
                      meaning.center + meaning.scale * mean, (of_members - mean) / deviation});
  }
  std::ranges::stable_sort(result, std::greater{},
                           [](const ContextContrast& one) { return std::abs(one.difference); });
  result.resize(std::min(result.size(), SegmentProfile::kMostContrasts));
  return result;
}

std::vector<double> mean_weights(const ContextSums& members, const Encoder& encoder,
                                 double outcome_scale) {
  std::vector<double> w;
  for (std::size_t j = 0; j < members.w.size(); ++j)
    w.push_back(members.w[j] / members.count * outcome_scale / encoder.factors[j].scale);
  return w;
}

}  // namespace

std::vector<SegmentProfile> segment_profiles(const LoggedData& log, const SoftMixture& mixture,
                                             double outcome_scale) {
  if (mixture.num_experts() > FitDiagnostics::kMostSegments) return {};
  const std::size_t step = std::max<std::size_t>(1, log.num_rows() / kSegmentRows);
  std::vector<double> x(log.num_contexts());
  std::vector<double> w(log.num_factors());
  std::vector<double> alpha(mixture.num_experts());
  ContextSums all(x.size(), w.size());
  std::vector<ContextSums> members(alpha.size(), all);
  std::vector<SegmentProfile> profiles(alpha.size());
  for (std::size_t i = 0; i < log.num_rows(); i += step) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = log.features().at(i, static_cast<int>(j));
    mixture.shares(x, alpha);
    mixture.weights(x, w);
    all.add(x, w);
    members[std::ranges::max_element(alpha) - alpha.begin()].add(x, w);
    for (std::size_t k = 0; k < alpha.size(); ++k) profiles[k].share += alpha[k];
  }
  const std::vector<ColumnMeaning> columns = meanings(log.encoder());
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    profiles[k].share /= all.count;
    profiles[k].members = members[k].count / all.count;
    if (members[k].count == 0) continue;
    profiles[k].weights = mean_weights(members[k], log.encoder(), outcome_scale);
    profiles[k].contrasts = contrasts(members[k], all, columns);
  }
  return profiles;
}

}  // namespace otss::internal
