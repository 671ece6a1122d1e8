#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/atomic_file.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/journal.hpp"
#include "lab/studies/output/seeds_file.hpp"
#include "lab/studies/study.hpp"
#include "lab/studies/study_jobs.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

namespace fs = std::filesystem;

// Returns the units (settings with seeds) of the study, ordered by seed. With this order, an
// interrupted study has finished every setting of its first seeds.
std::vector<StudyUnit> units(const Study& study, const StudyOptions& options) {
  std::vector<StudyUnit> result;
  for (int i = 0; i < options.seeds; ++i) {
    for (std::size_t s = 0; s < study.settings.size(); ++s)
      result.push_back({s, options.first_seed + i});
  }
  return result;
}

// Returns the job whose results the unit shares, or null.
StudyJob* job_with_same_results(const Study& study, std::vector<StudyJob>& jobs,
                                const StudyUnit& unit) {
  const std::optional<std::size_t>& same_as = study.settings[unit.setting].same_as;
  for (auto job = jobs.rbegin(); job != jobs.rend() && job->front().seed == unit.seed; ++job) {
    if (study.run_together || job->front().setting == same_as) return &*job;
  }
  return nullptr;
}

// Returns the units that are not in the journal yet: a job per seed if the settings share fits, else
// a job per unit.
std::vector<StudyJob> jobs(const Study& study, const std::vector<StudyUnit>& all,
                           const StudyJournal& journal) {
  std::vector<StudyJob> result;
  for (const StudyUnit& unit : all) {
    if (journal.find(study.settings[unit.setting].name, unit.seed) != nullptr) continue;
    if (StudyJob* shared = job_with_same_results(study, result, unit)) {
      shared->push_back(unit);
    } else {
      result.push_back({unit});
    }
  }
  return result;
}

Json specification(const Study& study, const StudyOptions& options, const std::string& version) {
  return {{"study", study.name},
          {"version", version},
          {"refit", options.refit},
          {"specification", study.specification}};
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string results_csv(const Study& study, const StudyOptions& options,
                        const std::vector<Contest>& contests) {
  std::string text = "study,setting,seed,method,refit";
  for (const ScorecardColumn& column : kScorecardColumns) text += fmt::format(",{}", column.name);
  text += study.timed ? ",seconds\n" : "\n";
  for (std::size_t s = 0; s < contests.size(); ++s) {
    for (int i = 0; i < options.seeds; ++i) {
      for (std::size_t e = 0; e < contests[s].names.size(); ++e) {
        const Scorecard& scorecard = contests[s].scores[e][i];
        text += fmt::format("{},{},{},{},{}", study.name, study.settings[s].name,
                            options.first_seed + i, contests[s].names[e], options.refit);
        for (const ScorecardColumn& column : kScorecardColumns)
          text += "," + number(scorecard.*column.field);
        if (study.timed) text += "," + number(scorecard.seconds);
        text += "\n";
      }
    }
  }
  return text;
}

Json summary(const Contest& contest, std::size_t e, std::string_view name,
             double Scorecard::*field) {
  Json json = {{"mean", contest.mean(e, field)}, {"sd", contest.deviation(e, field)}};
  const std::size_t automatic = even_reference(contest, word(Method::kAuto), e);
  for (const std::size_t base : {contest.reference_of(e), automatic}) {
    if (base == e || base >= contest.names.size()) continue;
    const Interval interval = contest.difference_interval(base, e, field);
    json[fmt::format("{}_minus_it", contest.names[base])] = {
        {name, contest.difference(base, e, field)}, {"lo", interval.lo}, {"hi", interval.hi}};
  }
  return json;
}

Json paper_json(const StudySetting& setting, const std::string& method) {
  const auto found = setting.paper.find(method);
  if (found == setting.paper.end()) return nullptr;
  const PaperValue& value = found->second;
  return {{"regret", value.regret},
          {"regret_sd", value.regret_sd},
          {"weight_mse", value.weight_mse},
          {"weight_mse_sd", value.weight_mse_sd}};
}

Json results_json(const Study& study, const StudyOptions& options, const std::string& version,
                  const std::vector<Contest>& contests) {
  Json settings = Json::array();
  for (std::size_t s = 0; s < contests.size(); ++s) {
    Json methods = Json::array();
    for (std::size_t e = 0; e < contests[s].names.size(); ++e) {
      Json method = {{"method", contests[s].names[e]},
                     {"paper", paper_json(study.settings[s], contests[s].names[e])}};
      for (const ScorecardColumn& column : kScorecardColumns)
        method[std::string(column.name)] = summary(contests[s], e, column.name, column.field);
      if (study.timed) method["seconds"] = summary(contests[s], e, "seconds", &Scorecard::seconds);
      methods.push_back(std::move(method));
    }
    settings.push_back({{"setting", study.settings[s].name},
                        {"title", study.settings[s].title},
                        {"methods", std::move(methods)}});
  }
  Json json = specification(study, options, version);
  json["title"] = study.title;
  json["about"] = study.about;
  json["first_seed"] = options.first_seed;
  json["seeds"] = options.seeds;
  json["settings"] = std::move(settings);
  return json;
}

// Returns the versions of otss that made the results.
std::string versions_of(const SeedsFile& seeds) {
  std::set<std::string> versions;
  for (const auto& [key, unit] : seeds.units) {
    for (const MethodResult& result : unit.results) versions.insert(result.made_by.version);
  }
  return fmt::format("{}", fmt::join(versions, " and "));
}

// Says on which machines the study ran and, if it is known, how long it took.
std::string time_text(const SeedsFile& seeds) {
  double cpu = 0;
  double elapsed = 0;
  std::set<std::string> machines;
  for (const auto& [key, unit] : seeds.units) {
    cpu += unit.cpu_seconds;
    elapsed += unit.elapsed_seconds;
    for (const MethodResult& result : unit.results)
      machines.insert(fmt::format("{} ({})", result.made_by.machine, result.made_by.kernels));
  }
  const std::string where = fmt::format("{}", fmt::join(machines, ", "));
  if (cpu == 0) return fmt::format("The study ran on {}.", where);
  return fmt::format("The study took {:.1f} CPU seconds, {:.1f} seconds elapsed, on {}.", cpu,
                     elapsed, where);
}

std::string whole_table(const Study& study, const StudyOptions& options, const SeedsFile& seeds,
                        const StudyPage& page) {
  const char* protocol = !study.has_validation ? "every method is fitted on all rows"
                         : options.refit
                             ? "every method is refitted on training and validation rows"
                             : "every method is fitted on the training rows only";
  return fmt::format(
      "# {}\n\n{}\n\nThere are {} seeds, and the first seed is {}; {}. The version of otss is "
      "{}.\n\n{}\n\n{}",
      study.title, study.about, options.seeds, options.first_seed, protocol, versions_of(seeds),
      time_text(seeds), page.table);
}

fs::path folder_of(const Study& study, const StudyOptions& options) {
  fs::path folder = fs::path(options.folder) / study.name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: cannot create this folder ({}); choose another folder with -o",
                            folder.string(), failed.message()));
  }
  return folder;
}

std::vector<Contest> contests_of(const Study& study, const StudyOptions& options,
                                 const SeedsFile& seeds) {
  std::vector<Contest> contests(study.settings.size(), Contest{.first_seed = options.first_seed});
  for (const StudyUnit& unit : units(study, options))
    contests[unit.setting].add(
        seeds.units.at({study.settings[unit.setting].name, unit.seed}).results);
  for (Contest& contest : contests) {
    const std::size_t reference = contest.index(study.reference);
    if (reference >= contest.names.size()) continue;
    contest.reference = reference;
    for (std::size_t e = 0; e < contest.names.size(); ++e)
      contest.references.push_back(even_reference(contest, study.reference, e));
  }
  return contests;
}

// Takes seeds and protocol from the file.
void follow(const SeedsFile& seeds, const Study& study, StudyOptions& options) {
  if (seeds.study != study.name)
    throw Error(ErrorCode::kUsage, fmt::format("{}: the file has results of the study '{}', not of "
                                               "'{}'; name that study",
                                               options.from, seeds.study, study.name));
  options.refit = seeds.refit;
  options.first_seed = seeds.units.begin()->first.second;
  const std::string& first = seeds.units.begin()->first.first;
  options.seeds = static_cast<int>(std::ranges::count_if(
      seeds.units, [&](const auto& unit) { return unit.first.first == first; }));
  for (const StudyUnit& unit : units(study, options)) {
    const std::string& setting = study.settings[unit.setting].name;
    const auto found = seeds.units.find({setting, unit.seed});
    const auto of_first = seeds.units.find({setting, options.first_seed});
    if (found != seeds.units.end() && of_first != seeds.units.end() &&
        !found->second.results.empty() &&
        method_names(found->second.results) == method_names(of_first->second.results))
      continue;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: seed {} of the setting '{}' is missing, or has other methods than "
                            "the first seed; make the table with the version of otss that made the "
                            "file",
                            options.from, unit.seed, setting));
  }
}

StudyPage write_results(const Study& study, const StudyOptions& options, const SeedsFile& seeds) {
  const fs::path folder = folder_of(study, options);
  const std::vector<Contest> contests = contests_of(study, options, seeds);
  StudyPage page = study.present(study, contests);
  page.table = whole_table(study, options, seeds, page);
  write_file(folder / "seeds.csv.gz", to_bytes(seeds));
  write_file(folder / "results.csv", results_csv(study, options, contests));
  write_file(folder / "results.json",
             results_json(study, options, versions_of(seeds), contests).dump(1) + "\n");
  write_file(folder / "table.md", page.table);
  for (const NamedFigure& figure : page.figures)
    write_file(folder / (figure.name + ".svg"), render_svg(figure.figure));
  return page;
}

// Returns StudySetting::run of a setting in which only these methods are fitted; the results of the
// others are those of the earlier run.
auto run_of_some(const StudySetting& setting, const std::set<std::string>& methods,
                 const SeedsFile& earlier) {
  return [&earlier, methods, name = setting.name, run_some = setting.run_some](std::uint64_t seed) {
    std::vector<MethodResult> results = earlier.units.at({name, seed}).results;
    const std::vector<MethodResult> fresh = run_some(seed, methods);
    for (const std::string& method : methods) {
      if (std::ranges::find(fresh, method, &MethodResult::method) != fresh.end()) continue;
      throw Error(ErrorCode::kUsage,
                  fmt::format("--again: '{}' is not fitted by itself; leave it out", method));
    }
    for (MethodResult& old : results) {
      const auto found = std::ranges::find(fresh, old.method, &MethodResult::method);
      if (found != fresh.end()) old = *found;
    }
    return results;
  };
}

// What must be equal for a journal to be continued. The results of some methods may be those of a file.
Json journal_specification(const Study& study, const StudyOptions& options,
                           const SeedsFile& earlier) {
  Json json = specification(study, options, kVersion);
  if (options.again.empty()) return json;
  json["again"] = std::set<std::string>(options.again.begin(), options.again.end());
  // A gzip file ends with a checksum of its text, of 4 bytes, and the length.
  const std::string bytes = to_bytes(earlier);
  const std::string end = bytes.substr(bytes.size() - 8);
  json["from"] = std::vector<int>(end.begin(), end.end());
  return json;
}

// Runs the units that are not in the journal yet. If some of the methods are fitted again, `earlier`
// has the results of the others.
StudyPage run_units(const Study& study, const StudyOptions& options, const SeedsFile& earlier,
                    const Progress& progress) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  if (!is_first(options.ranks)) {
    if (!study.timed) run_jobs(study, {}, threads, *options.ranks, {});
    return {};
  }
  const fs::path folder = folder_of(study, options);
  StudyJournal journal((folder / "journal.jsonl").string(),
                       journal_specification(study, options, earlier));
  const std::vector<StudyUnit> all = units(study, options);
  const std::vector<StudyJob> todo = jobs(study, all, journal);
  std::atomic<std::size_t> done = all.size();
  for (const StudyJob& job : todo) done -= job.size();
  std::mutex one_at_a_time;
  const auto report = [&](const std::string& what) {
    const std::lock_guard lock(one_at_a_time);
    if (progress) progress(static_cast<double>(done) / static_cast<double>(all.size()), what);
  };
  report(study.name);
  const auto add = [&](const StudyJob& job, const JobResults& results) {
    for (std::size_t i = 0; i < job.size(); ++i)
      journal.add(study.settings[job[i].setting].name, job[i].seed, results[i]);
    done += job.size();
    const StudyUnit& last = job.back();
    report(
        fmt::format("{}: {}, seed {}", study.name, study.settings[last.setting].name, last.seed));
  };
  if (options.ranks != nullptr && !study.timed) {
    run_jobs(study, todo, threads, *options.ranks, add);
  } else {
    parallel_for(todo.size(), study.timed ? 1 : threads, [&](std::size_t i) {
      check_interrupt();
      add(todo[i], run_job(study, todo[i]));
    });
  }

  SeedsFile seeds{study.name, options.refit, {}};
  for (const StudyUnit& unit : all) {
    const std::string& setting = study.settings[unit.setting].name;
    FinishedUnit& whole = seeds.units[{setting, unit.seed}] = *journal.find(setting, unit.seed);
    const auto before = earlier.units.find({setting, unit.seed});
    if (before == earlier.units.end()) continue;
    whole.cpu_seconds += before->second.cpu_seconds;
    whole.elapsed_seconds += before->second.elapsed_seconds;
  }
  return write_results(study, options, seeds);
}

// Throws an Error if a method of options.again is not in the file, or cannot be fitted alone.
void require_methods(const Study& study, const StudyOptions& options, const SeedsFile& seeds) {
  if (study.timed || !study.settings.front().run_some)
    throw Error(ErrorCode::kUsage,
                fmt::format("--again: the methods of the study {} cannot be fitted one by one; run "
                            "the whole study, without --from and --again",
                            study.name));
  const std::vector<std::string> names = method_names(seeds.units.begin()->second.results);
  for (const std::string& method : options.again) {
    if (std::ranges::find(names, method) != names.end()) continue;
    throw Error(ErrorCode::kUsage, fmt::format("--again: {} has no method '{}'; its methods are {}",
                                               options.from, method, fmt::join(names, ", ")));
  }
}

}  // namespace

StudyPage run_study(const Study& study, const StudyOptions& options, const Progress& progress) {
  return run_units(study, options, {}, progress);
}

StudyPage remake_study(const Study& study, StudyOptions options, const SeedsFile& seeds) {
  follow(seeds, study, options);
  return write_results(study, options, seeds);
}

StudyPage run_again(Study study, StudyOptions options, const SeedsFile& seeds,
                    const Progress& progress) {
  follow(seeds, study, options);
  require_methods(study, options, seeds);
  const std::set<std::string> methods(options.again.begin(), options.again.end());
  for (StudySetting& setting : study.settings) setting.run = run_of_some(setting, methods, seeds);
  return run_units(study, options, seeds, progress);
}

}  // namespace otss::internal
