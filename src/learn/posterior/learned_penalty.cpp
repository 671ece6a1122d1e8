#include "learn/posterior/learned_penalty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace otss::internal {
namespace {

// A group is a set of parameters that have one common strength. Group kFirstColumn + j has the gate
// slopes on context column j.
enum Group { kGateIntercept, kExpert, kCenter, kBaseline, kFirstColumn };

template <class Apply>
void for_each_column(const MixtureLayout& layout, const Apply& apply) {
  const int p = layout.num_contexts;
  const int num_factors = layout.num_factors;
  const int k = layout.num_experts;
  const double share = 1.0 / k;
  for (int j = 0; j <= p && k > 1; ++j) {
    apply(PenaltyColumn{j < p ? kFirstColumn + j : kGateIntercept, layout.gate(0) + j, p + 1, k - 1,
                        1, share, k - 1});
  }
  for (int j = 0; j < p; ++j)
    apply(PenaltyColumn{kBaseline, layout.baseline() + j, p + 1, 1, 1, 0, 1});
  for (int j = 0; j < num_factors; ++j) {
    const std::size_t first = layout.expert(0) + j;
    apply(PenaltyColumn{kExpert, first, num_factors + 1, k, 1, share, k - 1});
    apply(PenaltyColumn{kCenter, first, num_factors + 1, k, 0, -share * share, 1});
  }
  apply(PenaltyColumn{kExpert, layout.expert(0) + num_factors, num_factors + 1, k, 1, 0, k});
}

double sum_of(const PenaltyColumn& column, std::span<const double> theta) {
  double sum = 0;
  for (int k = 0; k < column.count; ++k) sum += theta[column.first + k * column.stride];
  return sum;
}

double form(const PenaltyColumn& column, std::span<const double> theta) {
  const double sum = sum_of(column, theta);
  double squares = 0;
  for (int k = 0; k < column.count; ++k) {
    const double v = theta[column.first + k * column.stride];
    squares += v * v;
  }
  return column.diagonal * squares - column.shared * sum * sum;
}

// Returns the distribution of each group's strength given theta. It is a gamma distribution, like
// the prior.
std::vector<GammaLaw> given(const LearnedPenalty& prior, const MixtureLayout& layout,
                            std::span<const double> theta) {
  std::vector<GammaLaw> laws = prior.laws(layout);
  for_each_column(layout, [&](const PenaltyColumn& column) {
    laws[column.group].shape += 0.5 * column.freedom;
    laws[column.group].rate += 0.5 * form(column, theta);
  });
  return laws;
}

double mean(const GammaLaw& law) { return law.shape / law.rate; }

}  // namespace

std::vector<PenaltyColumn> penalty_columns(const MixtureLayout& layout) {
  std::vector<PenaltyColumn> columns;
  for_each_column(layout, [&](const PenaltyColumn& column) { columns.push_back(column); });
  return columns;
}

LearnedPenalty LearnedPenalty::standard(const MixtureLayout& layout) {
  return {.gate = {2, 1.0 / std::max(1, layout.num_contexts)},
          .gate_intercept = {1, 0.5},
          .expert = {2, 0.25},
          .center = {1, 0.1},
          .baseline = {1, 0.1}};
}

std::vector<GammaLaw> LearnedPenalty::laws(const MixtureLayout& layout) const {
  std::vector<GammaLaw> laws{gate_intercept, expert, center, baseline};
  laws.resize(kFirstColumn + layout.num_contexts, gate);
  std::ranges::copy(gate_columns, laws.begin() + kFirstColumn);
  return laws;
}

double LearnedPenalty::add(const MixtureLayout& layout, std::span<const double> theta,
                           std::span<double> gradient) const {
  const std::vector<GammaLaw> laws = given(*this, layout, theta);
  for_each_column(layout, [&](const PenaltyColumn& column) {
    const double strength = mean(laws[column.group]);
    const double common = column.shared * sum_of(column, theta);
    for (int k = 0; k < column.count; ++k) {
      const std::size_t i = column.first + k * column.stride;
      gradient[i] += strength * (column.diagonal * theta[i] - common);
    }
  });
  double value = 0;
  for (const GammaLaw& law : laws) value += law.shape * std::log(law.rate);
  return value;
}

void LearnedPenalty::add_curvature(const MixtureLayout& layout, std::span<const double> theta,
                                   Eigen::MatrixXd& hessian) const {
  const std::vector<GammaLaw> laws = given(*this, layout, theta);
  for_each_column(layout, [&](const PenaltyColumn& column) {
    const double strength = mean(laws[column.group]);
    for (int k = 0; k < column.count; ++k) {
      const std::size_t i = column.first + k * column.stride;
      hessian(i, i) += strength * column.diagonal;
      for (int l = 0; l < column.count; ++l)
        hessian(i, column.first + l * column.stride) -= strength * column.shared;
    }
  });
}

std::vector<double> LearnedPenalty::gate_squares(const MixtureLayout& layout,
                                                 std::span<const double> theta) {
  std::vector<double> squares(layout.num_contexts, 0.0);
  for_each_column(layout, [&](const PenaltyColumn& column) {
    if (column.group >= kFirstColumn) squares[column.group - kFirstColumn] = form(column, theta);
  });
  return squares;
}

Penalty LearnedPenalty::strengths(const MixtureLayout& layout,
                                  std::span<const double> theta) const {
  const std::vector<GammaLaw> laws = given(*this, layout, theta);
  double gate_variance = 0;
  for (int j = 0; j < layout.num_contexts; ++j) gate_variance += 1 / mean(laws[kFirstColumn + j]);
  return {.gate = gate_variance > 0 ? layout.num_contexts / gate_variance : 0,
          .gate_intercept = mean(laws[kGateIntercept]),
          .expert = mean(laws[kExpert]),
          .center = mean(laws[kCenter]),
          .baseline = mean(laws[kBaseline])};
}

Penalty LearnedPenalty::typical_strengths(const MixtureLayout& layout,
                                          const std::vector<std::vector<double>>& draws) const {
  constexpr std::array kFields{&Penalty::gate, &Penalty::gate_intercept, &Penalty::expert,
                               &Penalty::center, &Penalty::baseline};
  std::array<double, kFields.size()> logs{};
  for (const std::vector<double>& theta : draws) {
    const Penalty one = strengths(layout, theta);
    for (std::size_t f = 0; f < kFields.size(); ++f) logs[f] += std::log(one.*kFields[f]);
  }
  Penalty typical;
  for (std::size_t f = 0; f < kFields.size(); ++f)
    typical.*kFields[f] = std::exp(logs[f] / static_cast<double>(draws.size()));
  return typical;
}

}  // namespace otss::internal
