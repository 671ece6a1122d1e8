#include "lab/studies/catalogue.hpp"

#include <fmt/core.h>

#include <map>

#include "lab/studies/output/seeds_file.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {
namespace {

using Maker = Study (*)(bool refit);

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> result = {
      {"panel-a", panel_a_study},
      {"panel-b", panel_b_study},
      {"sweeps", sweeps_study},
      {"experts", experts_study},
      {"gates", gates_study},
      {"runtime", runtime_study},
      {"worlds", worlds_study},
      {"nuisance", nuisance_study},
      {"rates", [](bool) { return rates_study(); }},
      {"rates-learned", [](bool) { return rates_learned_study(); }},
      {"panel", [](bool) { return panel_study(); }},
      {"losses", [](bool) { return losses_study(); }}};
  return result;
}

constexpr const char* kRetailStudy = "journey";
constexpr const char* kRetailSweepsStudy = "journey-sweeps";
constexpr const char* kCoverageStudy = "coverage";
constexpr std::size_t kRetailLibraries = 4;  // libraries of the study "journey"

JourneyLibraries retail_data(const std::string& folder, std::size_t libraries) {
  if (folder.empty()) return nullptr;
  return std::make_shared<const std::vector<JourneyData>>(
      load_journey_libraries(folder, libraries));
}

}  // namespace

Study make_study(const std::string& name, bool refit, const std::string& data_folder,
                 const std::set<std::string>& settings) {
  for (const auto& [known, maker] : makers()) {
    if (known == name) return maker(refit);
  }
  if (name == kCoverageStudy)
    return coverage_study(retail_data(data_folder, 1),
                          !data_folder.empty() || settings.contains("retail"));
  if (name == kRetailSweepsStudy) return journey_sweeps_study(retail_data(data_folder, 1), refit);
  if (name == kRetailStudy) return journey_study(retail_data(data_folder, kRetailLibraries), refit);
  throw Error(
      ErrorCode::kUsage,
      fmt::format("there is no study '{}'; type otss study --help to see the names of the studies",
                  name));
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

bool study_needs_data(const std::string& name) {
  return name == kRetailStudy || name == kRetailSweepsStudy;
}
bool study_uses_data(const std::string& name) {
  return study_needs_data(name) || name == kCoverageStudy;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  for (const char* name : {kCoverageStudy, kRetailStudy, kRetailSweepsStudy})
    names.emplace_back(name);
  return names;
}

StudyResult run_study(const std::string& name, const StudyOptions& options,
                      const Progress& progress) {
  const auto make_page = [&] {
    if (options.from.empty())
      return run_study(make_study(name, options.refit, options.data), options, progress);
    if (!is_first(options.ranks) && options.again.empty()) return StudyPage{};
    const SeedsFile seeds = read_seeds_file(options.from);
    std::set<std::string> settings;
    for (const auto& [key, unit] : seeds.units) settings.insert(key.first);
    const Study study = make_study(name, seeds.refit, options.data, settings);
    return options.again.empty() ? remake_study(study, options, seeds)
                                 : run_again(study, options, seeds, progress);
  };
  const StudyPage page = make_page();
  StudyResult result{page.table, {}};
  for (const NamedFigure& figure : page.figures) result.figures.push_back(figure.name);
  return result;
}

}  // namespace otss
