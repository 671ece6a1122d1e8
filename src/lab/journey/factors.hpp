// z(x, d): the factors of every bundle of the library in every context, in [0, 1].
#pragma once

#include <string>
#include <vector>

#include "lab/journey/bundles.hpp"
#include "lab/journey/derivation.hpp"

namespace otss {

// afford, deal, private_label, health, convenience, kid: the bundle's own. Of the context too:
//   habit    logistic of the mean, over the bundle's roles, of log(household's share of the role /
//            everybody's share), in units of 0.25
//   budget   exp(-|mean log price of the bundle - of the household's breakfasts|)
//   brand    1 - |private-label share of the bundle - of the household's breakfasts|
//   novel    share of the bundle's items that the household has not bought before
const std::vector<std::string>& journey_factor_names();

// contexts × bundles × 10. `contexts` is derived.train or derived.test.
std::vector<double> journey_factors(const Table& contexts, const std::vector<Bundle>& library,
                                    const DerivedTables& derived);

}  // namespace otss
