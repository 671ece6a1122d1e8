#include "fit_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "text_table.hpp"

namespace otss::app {

// Several fits at a time (--gate auto) can add up to more seconds than have passed.
double FitProfile::other_seconds() const {
  const auto& seconds = profile.seconds;
  return std::max(0.0, total_seconds - std::accumulate(seconds.begin(), seconds.end(), 0.0));
}

std::string describe(const FitProfile& fit) {
  TextTable table({"stage", "seconds", "%"});
  const auto add = [&](const std::string& stage, double seconds) {
    table.add({stage, fmt::format("{:.3f}", seconds),
               fmt::format("{:.0f}", 100 * seconds / fit.total_seconds)});
  };
  for (const auto& [stage, name] : word_table(Stage{}))
    add(std::string(name), fit.profile.seconds_of(stage));
  add("other", fit.other_seconds());
  constexpr double kMegabyte = 1e6;
  return fmt::format("{}{:.0f} passes over the rows, {} tasks, peak memory {:.0f} MB\n",
                     table.str(), fit.passes(), fit.profile.tasks,
                     static_cast<double>(fit.profile.peak_memory_bytes) / kMegabyte);
}

Json to_json(const FitProfile& fit) {
  Json seconds = Json::object();
  for (const auto& [stage, name] : word_table(Stage{}))
    seconds[std::string(name)] = fit.profile.seconds_of(stage);
  seconds["other"] = fit.other_seconds();
  return {{"seconds", std::move(seconds)},
          {"passes", fit.passes()},
          {"tasks", fit.profile.tasks},
          {"peak_memory_bytes", fit.profile.peak_memory_bytes}};
}

}  // namespace otss::app
