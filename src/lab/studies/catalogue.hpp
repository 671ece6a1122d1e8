// Lists the studies by name.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/journey/journey.hpp"
#include "lab/studies/study.hpp"

namespace otss::internal {

// Each function returns one study and is in a file of its own. If `refit` is true, every method is
// fitted again on training and validation rows together once its settings are chosen.
Study panel_a_study(bool refit);
Study panel_b_study(bool refit);
Study sweeps_study(bool refit);
Study experts_study(bool refit);
Study gates_study(bool refit);
Study runtime_study(bool refit);
Study worlds_study(bool refit);
Study nuisance_study(bool refit);
Study rates_study();
Study rates_learned_study();
Study panel_study();
Study losses_study();
// `data` is null if the tables of the retail studies are not given. The study "coverage" has a retail
// setting only if `with_retail` is true.
using JourneyLibraries = std::shared_ptr<const std::vector<JourneyData>>;
Study coverage_study(const JourneyLibraries& data, bool with_retail);
Study journey_study(const JourneyLibraries& data, bool refit);
Study journey_sweeps_study(const JourneyLibraries& data, bool refit);

// Returns the study with this name. The studies "journey" and "journey-sweeps" read their tables from
// `data_folder`; if that is empty, they cannot be run, but their tables can be made from a file
// (remake_study). The study "coverage" has a retail setting if `data_folder` is not empty, or if
// `settings`, the names of the settings in that file, has one.
Study make_study(const std::string& name, bool refit, const std::string& data_folder,
                 const std::set<std::string>& settings = {});

}  // namespace otss::internal
