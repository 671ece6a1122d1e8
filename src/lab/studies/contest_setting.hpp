// Makes a StudySetting whose methods are all fitted to the same simulated log.
#pragma once

#include "lab/studies/study.hpp"

namespace otss::internal {

inline StudySetting contest_setting(std::string name, std::string title, Simulate simulate,
                                    std::vector<Entrant> entrants, bool refit,
                                    std::map<std::string, PaperValue> paper = {}) {
  return {
      std::move(name), std::move(title),
      [simulate = std::move(simulate), entrants = std::move(entrants), refit](std::uint64_t seed) {
        return run_entrants(simulate(seed), entrants, {.refit = refit});
      },
      std::move(paper)};
}

}  // namespace otss::internal
