#include "learn/estimate/averaged_fits.hpp"

#include <algorithm>
#include <iterator>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "learn/estimate/covariance_factors.hpp"
#include "learn/estimate/stored_parameters.hpp"
#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

// The draws are the same in every fit of the same log, whatever its seed.
constexpr std::uint64_t kSeedOfDraws = 1;

// Returns `count` draws from the normal law of one fit. `stream` is the number of the stream of
// random numbers.
std::vector<DrawnUncertainty::Draw> draws_of_fit(const StoredParameters& stored, const Member& fit,
                                                 const Eigen::MatrixXd& covariance,
                                                 std::uint64_t stream, std::size_t count) {
  const std::vector<double> weights = stored.weights(fit.theta);
  const std::vector<double> baseline = stored.baseline(fit.theta);
  const Eigen::MatrixXd joint = stored.covariance(covariance).joint();
  const auto size = static_cast<std::size_t>(joint.rows());
  const std::vector<double> lower =
      cholesky(std::span<const double>(joint.data(), joint.size()), size);
  Rng rng(kSeedOfDraws, stream);
  std::vector<DrawnUncertainty::Draw> draws(count);
  std::vector<double> normals(size);
  for (DrawnUncertainty::Draw& draw : draws) {
    draw.num_experts = fit.layout.num_experts;
    for (double& normal : normals) normal = rng.normal();
    for (std::size_t i = 0; i < size; ++i) {
      const bool of_weights = i < weights.size();
      double value = of_weights ? weights[i] : baseline[i - weights.size()];
      for (std::size_t j = 0; j <= i; ++j) value += lower[i * size + j] * normals[j];
      (of_weights ? draw.parameters : draw.baseline).push_back(rounded(value));
    }
  }
  return draws;
}

}  // namespace

std::vector<const Member*> penalised_mixtures(const std::vector<Member>& members) {
  std::vector<const Member*> fits;
  for (const Member& member : members) {
    if (member.weight > 0 && member.penalty.has_value() && member.slopes.size() == 0)
      fits.push_back(&member);
  }
  std::ranges::stable_sort(fits, {},
                           [](const Member* member) { return member->layout.num_experts; });
  return fits;
}

std::vector<const Member*> in_proportion(const std::vector<const Member*>& members,
                                         std::size_t count) {
  double total = 0;
  for (const Member* member : members) total += member->weight;
  std::vector<const Member*> taken;
  double seen = 0;
  for (const Member* member : members) {
    seen += member->weight / total * static_cast<double>(count);
    while (static_cast<double>(taken.size()) + 0.5 < seen) taken.push_back(member);
  }
  return taken;
}

std::shared_ptr<const DrawnUncertainty> draws_of_fits(const LoggedData& log, const Problem& problem,
                                                      const std::vector<const Member*>& fits,
                                                      const CovarianceOf& covariance_of,
                                                      int num_threads) {
  std::size_t largest = 1;
  for (const Member* fit : fits) largest = std::max(largest, fit->theta.size());
  const std::vector<const Member*> taken =
      in_proportion(fits, num_stored_draws(largest, DrawnUncertainty::kMostDraws));
  std::vector<std::vector<DrawnUncertainty::Draw>> of_fits(fits.size());
  parallel_for(fits.size(), num_threads, [&](std::size_t f) {
    const auto count = static_cast<std::size_t>(std::ranges::count(taken, fits[f]));
    if (count == 0) return;
    const Member& fit = *fits[f];
    const FitCovariance fitted =
        covariance_of(*fit.penalty, {.layout = fit.layout, .theta = fit.theta});
    of_fits[f] =
        draws_of_fit(StoredParameters(fit.layout, log, problem), fit, fitted.matrix, f, count);
  });
  std::vector<DrawnUncertainty::Draw> draws;
  for (auto& of_fit : of_fits) std::ranges::move(of_fit, std::back_inserter(draws));
  const bool quadratic = problem.num_contexts != log.num_contexts();
  return std::make_shared<DrawnUncertainty>(log.num_contexts(), problem.num_factors(), quadratic,
                                            std::move(draws));
}

}  // namespace otss::internal
