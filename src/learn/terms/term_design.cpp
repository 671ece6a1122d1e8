#include "learn/terms/term_design.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/threads.hpp"
#include "learn/mixture/noise_units.hpp"
#include "learn/problem/large_problem.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The regression has products of contexts and factors only if there are at most kMostProducts of
// them, and at least kRowsPerProduct rows for each product.
constexpr int kMostProducts = 160;
constexpr std::size_t kRowsPerProduct = 20;
constexpr std::size_t kMostTerms = 1000;
// Terms::kAuto and the test of linearity try the squares and logarithms of at most kMostCurved
// factors, and the products of pairs of at most kMostPaired factors. These are the factors that
// correlate most with the outcome.
constexpr std::size_t kMostCurved = 100, kMostPaired = 20;
// A term counts as constant if its standard deviation is at most this share of its largest absolute
// value.
constexpr double kConstant = 1e-5;

// A factor that is a column of the log and not a term. Its values are in the log's units. They are
// rounded to single precision, because LoggedData stores them so.
struct OwnFactor {
  std::string name;
  VectorXd values;
  double low = 0;          // the smallest value
  double precision = 0;    // rounding errors of the values are smaller than this
  double correlation = 0;  // proportional to |correlation with the outcome|
};

std::vector<OwnFactor> own_factors(const LoggedData& log, const Problem& sample,
                                   const VectorXd& outcomes) {
  std::vector<OwnFactor> own;
  for (int j = 0; j < log.num_factors(); ++j) {
    const FactorColumn& factor = log.encoder().factors[j];
    if (factor.term) continue;
    OwnFactor one{factor.name, VectorXd(static_cast<Index>(sample.num_rows()))};
    for (Index i = 0; i < one.values.size(); ++i)
      one.values[i] =
          factor.center + factor.scale * sample.features->at(i, sample.num_contexts + j);
    one.low = one.values.minCoeff();
    one.precision = 1e-5 * std::max(factor.scale, 1e-2 * std::abs(factor.center));
    const VectorXd centred = one.values.array() - one.values.mean();
    one.correlation = std::abs(centred.dot(outcomes)) / std::max(centred.norm(), 1e-300);
    own.push_back(std::move(one));
  }
  return own;
}

// Returns the term log(A) if all values of the factor are above 0, the term log(1+A) if none is
// negative, and nothing otherwise. Values that differ from 0 only by rounding count as 0.
std::optional<Term> log_of(const OwnFactor& factor) {
  if (factor.low > factor.precision) return Term{TermKind::kLog, {factor.name}};
  if (factor.low > -factor.precision) return Term{TermKind::kLogOnePlus, {factor.name}};
  return std::nullopt;
}

// Returns the indices of the `most` factors that correlate most with the outcome, in increasing
// order.
std::vector<std::size_t> strongest(const std::vector<OwnFactor>& own, std::size_t most) {
  std::vector<std::size_t> all(own.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= most) return all;
  std::ranges::stable_sort(all, std::greater{}, [&](std::size_t j) { return own[j].correlation; });
  all.resize(most);
  std::ranges::sort(all);
  return all;
}

// Returns the terms of the given kinds that are not factors of the log already.
std::vector<Term> candidate_terms(const LoggedData& log, const std::vector<OwnFactor>& own,
                                  Terms kinds) {
  std::vector<Term> terms;
  const auto add = [&](const Term& term) {
    // If the name of a column cannot be written in a term, this column has no terms.
    if (parse_term(term.name()) != term) return;
    if (std::ranges::count(log.roles().factors, term.name()) == 0) terms.push_back(term);
  };
  const bool automatic = kinds == Terms::kAuto;
  for (const std::size_t j : strongest(own, automatic ? kMostCurved : own.size())) {
    const OwnFactor& factor = own[j];
    if (kinds == Terms::kSquares || automatic) add({TermKind::kSquare, {factor.name}});
    if (kinds != Terms::kLogs && !automatic) continue;
    if (const auto log_term = log_of(factor)) add(*log_term);
  }
  if (kinds == Terms::kPairs || automatic) {
    const std::vector<std::size_t> paired = strongest(own, automatic ? kMostPaired : own.size());
    for (auto a = paired.begin(); a != paired.end(); ++a) {
      for (auto b = a + 1; b != paired.end(); ++b)
        add({TermKind::kProduct, {own[*a].name, own[*b].name}});
    }
  }
  if (terms.size() <= kMostTerms) return terms;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--terms would add {} terms to the {} factors, but at most {} can be "
                  "fitted; give --terms auto, or name only the terms that you need in --factors",
                  terms.size(), own.size(), kMostTerms));
}

// Returns the term's values with mean 0 and standard deviation 1, or nothing if the term is
// constant.
std::optional<VectorXd> standardised(const Term& term, const std::vector<OwnFactor>& own,
                                     const VectorXd& weights) {
  const auto& a = std::ranges::find(own, term.columns.front(), &OwnFactor::name)->values;
  const auto& b = std::ranges::find(own, term.columns.back(), &OwnFactor::name)->values;
  VectorXd values(a.size());
  for (Index i = 0; i < a.size(); ++i) {
    const double value = term.value(a[i], b[i]);
    // If values are large, rounding can turn a 0 into -1 or less, where log(1+A) is not defined.
    // The logarithm of such a 0 is log(1+0) = 0.
    values[i] = std::isnan(value) ? 0 : value;
  }
  const double largest = values.cwiseAbs().maxCoeff();
  const double total = weights.sum();
  values.array() -= weights.dot(values) / total;
  const double sd = std::sqrt(weights.dot(values.cwiseAbs2()) / total);
  if (!(sd > kConstant * largest) || !std::isfinite(sd)) return std::nullopt;
  return values / sd;
}

void add_linear_columns(TermDesign& design) {
  const Problem& sample = design.sample;
  const auto n = static_cast<Index>(sample.num_rows());
  const int p = sample.num_contexts;
  const int num_factors = sample.num_factors();
  design.linear = MatrixXd::Ones(n, 1 + p + num_factors);
  design.linear_blocks.assign(1 + p + num_factors, TermBlock::kFactors);
  design.linear_blocks[0] = TermBlock::kIntercept;
  for (int c = 0; c < p; ++c) design.linear_blocks[1 + c] = TermBlock::kContexts;
  for (int c = 0; c < p + num_factors; ++c) {
    for (Index i = 0; i < n; ++i) design.linear(i, 1 + c) = sample.features->at(i, c);
  }
  const int count = p * num_factors;
  const bool few = count <= kMostProducts && kRowsPerProduct * count <= sample.num_rows();
  design.products.resize(n, few ? count : 0);
  for (int c = 0; few && c < count; ++c)
    design.products.col(c) =
        design.linear.col(1 + c % p).cwiseProduct(design.linear.col(1 + p + c / p));
}

// Returns the group of each row of the sample. Groups are numbered from 0 without gaps. The list is
// empty if the log has no groups.
std::vector<std::uint32_t> groups_of(const LoggedData& log, const std::vector<std::size_t>& rows) {
  std::vector<std::uint32_t> groups;
  if (log.groups().empty()) return groups;
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (const std::size_t row : rows) {
    const auto next = static_cast<std::uint32_t>(number.size());
    groups.push_back(number.try_emplace(log.groups()[row], next).first->second);
  }
  return groups;
}

}  // namespace

TermDesign make_term_design(const LoggedData& log, Terms kinds, std::size_t num_rows,
                            const TermOptions& options) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const OutcomeUnits units =
      options.family == OutputFamily::kGaussian ? noise_units(log, {}, threads) : OutcomeUnits{};
  std::vector<std::size_t> rows;
  TermDesign design{
      spread_rows(log, {.family = options.family, .units = units}, num_rows, &rows).problem};
  design.rows = std::move(rows);
  design.groups = groups_of(log, design.rows);
  add_linear_columns(design);
  VectorXd outcomes(design.linear.rows());
  VectorXd weights(design.linear.rows());
  for (Index i = 0; i < outcomes.size(); ++i) {
    outcomes[i] = design.sample.outcome(i);
    weights[i] = design.sample.weight(i);
  }
  const std::vector<OwnFactor> own = own_factors(log, design.sample, outcomes);
  std::vector<VectorXd> columns;
  for (const Term& term : candidate_terms(log, own, kinds)) {
    auto values = standardised(term, own, weights);
    if (!values) continue;
    design.terms.push_back(term);
    columns.push_back(*std::move(values));
  }
  design.candidates.resize(outcomes.size(), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c)
    design.candidates.col(static_cast<Index>(c)) = columns[c];
  return design;
}

}  // namespace otss::internal
