// Makes a StudySetting whose methods are all fitted to the same simulated log.
#pragma once

#include "lab/studies/study.hpp"

namespace otss::internal {

// Returns StudySetting::run_some for these methods.
inline auto run_some_entrants(Simulate simulate, std::vector<Entrant> entrants, bool refit) {
  return [simulate = std::move(simulate), entrants = std::move(entrants), refit](
             std::uint64_t seed, const std::set<std::string>& methods) {
    std::vector<Entrant> some = entrants;
    std::erase_if(some, [&](const Entrant& entrant) { return !methods.contains(entrant.name); });
    return fit_entrants(simulate(seed), some, {.refit = refit});
  };
}

inline StudySetting contest_setting(std::string name, std::string title, const Simulate& simulate,
                                    const std::vector<Entrant>& entrants, bool refit,
                                    std::map<std::string, PaperValue> paper = {}) {
  return {.name = std::move(name),
          .title = std::move(title),
          .run =
              [simulate, entrants, refit](std::uint64_t seed) {
                return run_entrants(simulate(seed), entrants, {.refit = refit});
              },
          .paper = std::move(paper),
          .run_some = run_some_entrants(simulate, entrants, refit)};
}

}  // namespace otss::internal
