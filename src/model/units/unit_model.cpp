#include "model/units/unit_model.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "model/uncertainty/draws_of_weights.hpp"
#include "model/units/packed_cholesky.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

DeviationBasis basis_of(const Fitted& fitted) {
  if (fitted.roles().unit.empty()) {
    throw Error(ErrorCode::kUsage,
                "the model was fitted without units, so it cannot learn from the history of a "
                "unit; fit a model with --unit COL");
  }
  // A fit with units that found no differences between them stores no deviations.
  if (fitted.deviations() == nullptr) return DeviationBasis(fitted.num_factors());
  return {*fitted.deviations(), fitted.num_factors()};
}

// Returns (L'L)⁻¹ L'.
std::vector<double> left_inverse(const DeviationBasis& basis) {
  const std::size_t rank = basis.rank();
  std::vector<double> gram(packed_size(rank), 0.0);
  for (int i = 0; i < basis.size(); ++i) {
    for (std::size_t a = 0; a < rank; ++a) {
      for (std::size_t b = 0; b <= a; ++b)
        gram[packed_size(a) + b] += basis.row(i)[a] * basis.row(i)[b];
    }
  }
  factorize_packed(gram, rank);
  std::vector<double> inverse(rank * basis.size());
  std::vector<double> column(rank);
  for (int i = 0; i < basis.size(); ++i) {
    std::ranges::copy(basis.row(i), column.begin());
    solve_packed(gram, column);
    for (std::size_t a = 0; a < rank; ++a) inverse[a * basis.size() + i] = column[a];
  }
  return inverse;
}

// Returns draws × rank normal numbers that are independent of the first `skipped` columns of
// exact_normals.
std::vector<double> independent_normals(std::size_t draws, std::size_t skipped, std::size_t rank) {
  std::vector<double> normals;
  normals.reserve(draws * rank);
  if (draws % 2 == 0 && 2 * (skipped + rank) <= draws) {
    const std::vector<double> all = exact_normals(draws, skipped + rank);
    for (std::size_t d = 0; d < draws; ++d) {
      const auto row = std::span(all).subspan(d * (skipped + rank) + skipped, rank);
      normals.insert(normals.end(), row.begin(), row.end());
    }
    return normals;
  }
  // There are too many columns for exact moments.
  constexpr std::uint64_t kSeed = 20240301;
  Rng rng(kSeed);
  for (std::size_t i = 0; i < draws * rank; ++i) normals.push_back(rng.normal());
  return normals;
}

}  // namespace

UnitModel::UnitModel(const Fitted& fitted)
    : fitted_(fitted), basis_(basis_of(fitted)), inverse_(left_inverse(basis_)) {
  if (!fitted_.has_uncertainty()) return;
  // A few posterior draws of the population are repeated, so that the draws of the units' errors
  // are many.
  constexpr std::size_t kEnoughDraws = 512;
  const std::size_t draws = fitted_.uncertainty().num_draws();
  repeats_ = std::max<std::size_t>(1, kEnoughDraws / draws);
  normals_ = independent_normals(draws * repeats_, basis_.size(), basis_.rank());
}

UnitMoments UnitModel::make_moments() const {
  return {fitted_.family(), fitted_.baseline().noise, rank()};
}

void UnitModel::standardise(std::span<double> z) const {
  const std::vector<FactorColumn>& factors = fitted_.encoder().factors;
  for (std::size_t j = 0; j < z.size(); ++j) z[j] = (z[j] - factors[j].center) / factors[j].scale;
}

void UnitModel::coordinates_of(std::span<const double> deviation,
                               std::span<double> coordinates) const {
  for (std::size_t a = 0; a < coordinates.size(); ++a) {
    coordinates[a] = 0;
    for (std::size_t i = 0; i < deviation.size(); ++i)
      coordinates[a] += inverse_[a * deviation.size() + i] * deviation[i];
  }
}

UnitErrorMap UnitModel::error_map(std::span<const double> factor) const {
  const std::size_t size = basis_.size(), rank = basis_.rank();
  UnitErrorMap map{std::vector<double>(size * size, 0.0), std::vector<double>(size * rank)};
  std::vector<double> move(rank), part(size);
  for (std::size_t c = 0; c < size; ++c) {
    // For δ = the unit vector c: P⁻¹ (P - I) d = d - P⁻¹ d.
    for (std::size_t a = 0; a < rank; ++a) move[a] = inverse_[a * size + c];
    solve_packed(factor, move);
    for (std::size_t a = 0; a < rank; ++a) move[a] = inverse_[a * size + c] - move[a];
    basis_.expand(move, part);
    for (std::size_t i = 0; i < size; ++i)
      map.carried[i * size + c] = (i == c ? 1.0 : 0.0) - part[i];
  }
  for (std::size_t c = 0; c < rank; ++c) {
    std::ranges::fill(move, 0.0);
    move[c] = 1;
    solve_upper(factor, move);
    basis_.expand(move, part);
    for (std::size_t i = 0; i < size; ++i) map.own[i * rank + c] = part[i];
  }
  return map;
}

UnitBelief make_belief(const std::shared_ptr<const UnitModel>& model, std::span<const double> mean,
                       std::span<const double> factor) {
  std::vector<double> deviation(model->basis().size());
  model->basis().expand(mean, deviation);
  UnitBelief belief{{deviation.begin() + 1, deviation.end()},
                    deviation.front(),
                    {mean.begin(), mean.end()},
                    {factor.begin(), factor.end()},
                    model};
  const Encoder& encoder = model->fitted().encoder();
  for (std::size_t j = 0; j < belief.weights.size(); ++j)
    belief.weights[j] /= encoder.factors[j].scale;
  return belief;
}

UnitBelief make_belief(const std::shared_ptr<const UnitModel>& model, const UnitMoments& posteriors,
                       std::size_t unit) {
  std::vector<double> mean(model->rank()), factor(packed_size(mean.size()));
  posteriors.copy_mean(unit, mean);
  posteriors.copy_factor(unit, factor);
  return make_belief(model, mean, factor);
}

}  // namespace otss::internal
