// The runs of a study, and how several processes share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/studies/output/journal.hpp"
#include "lab/studies/study.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {

// One setting with one seed.
struct StudyUnit {
  std::size_t setting;
  std::uint64_t seed;
};

// Units that run together on one thread: all settings of one seed if they share fits, else one unit
// and those with the same results (StudySetting::same_as).
using StudyJob = std::vector<StudyUnit>;

// The results of a job, one entry per unit.
using JobResults = std::vector<FinishedUnit>;

JobResults run_job(const Study& study, const StudyJob& job);

// Runs the jobs of rank 0 on all ranks, in rounds: in each round every rank runs as many jobs as it has
// threads. After each round `add` is called on rank 0 with the results of each job of the round, in
// the order of the jobs. All ranks must call this function; `jobs` and `add` are used on rank 0 only.
void run_jobs(const Study& study, const std::vector<StudyJob>& jobs, int threads, Ranks& ranks,
              const std::function<void(const StudyJob&, const JobResults&)>& add);

}  // namespace otss::internal
