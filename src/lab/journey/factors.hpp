// Computes the factors z(x, d) of every bundle d of the library in every context x. Factors are in
// [0, 1].
#pragma once

#include <string>
#include <vector>

#include "lab/journey/bundles.hpp"
#include "lab/journey/derivation.hpp"

namespace otss::internal {

// Returns the names of the ten factors. Six static factors depend on the bundle only: afford, deal,
// private_label, health, convenience, kid. Four factors depend on the context too (σ is the
// logistic function):
//
//   habit    σ(m / 0.25), where m is the mean over the bundle's roles of
//            log(household's share of the role / share over all households)
//   budget   exp(-|mean log price of the bundle - mean log price of the household's breakfasts|)
//   brand    1 - |private-label share of the bundle - that share of the household's breakfasts|
//   novel    share of the bundle's items that the household has not bought before
const std::vector<std::string>& journey_factor_names();

// Returns the factors, contexts × bundles × 10. `contexts` is derived.train or derived.test.
std::vector<double> journey_factors(const Table& contexts, const std::vector<Bundle>& library,
                                    const DerivedTables& derived);

}  // namespace otss::internal
