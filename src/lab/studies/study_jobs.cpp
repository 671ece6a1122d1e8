#include "lab/studies/study_jobs.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/ranks/message.hpp"
#include "base/threads.hpp"

namespace otss::internal {
namespace {

std::vector<StudyJob> shared_jobs(const std::vector<StudyJob>& jobs, Ranks& ranks) {
  MessageWriter writer;
  writer.put(jobs.size());
  for (const StudyJob& job : jobs) writer.put(job);
  const std::string message = ranks.share(std::move(writer).take());
  MessageReader reader(message);
  std::vector<StudyJob> shared(reader.get<std::size_t>());
  for (StudyJob& job : shared) reader.get(job);
  return shared;
}

void put(MessageWriter& writer, const FinishedUnit& unit) {
  writer.put(unit.results.size());
  for (const MethodResult& result : unit.results) {
    writer.put(result.method);
    writer.put(result.measured);
    for (const auto* text :
         {&result.made_by.version, &result.made_by.machine, &result.made_by.kernels})
      writer.put(*text);
  }
}

FinishedUnit get_unit(MessageReader& reader) {
  FinishedUnit unit;
  unit.results.resize(reader.get<std::size_t>());
  for (MethodResult& result : unit.results) {
    reader.get(result.method);
    reader.get(result.measured);
    for (auto* text : {&result.made_by.version, &result.made_by.machine, &result.made_by.kernels})
      reader.get(*text);
  }
  return unit;
}

}  // namespace

JobResults run_job(const Study& study, const StudyJob& job) {
  const std::uint64_t seed = job.front().seed;
  if (!study.run_together)
    return {job.size(), finished_here(study.settings[job.front().setting].run(seed))};
  const std::vector<std::vector<MethodResult>> together = study.run_together(seed);
  JobResults results;
  for (const StudyUnit& unit : job) results.push_back(finished_here(together[unit.setting]));
  return results;
}

void run_jobs(const Study& study, const std::vector<StudyJob>& jobs, int threads, Ranks& ranks,
              const std::function<void(const StudyJob&, const JobResults&)>& add) {
  const std::vector<StudyJob> all = shared_jobs(jobs, ranks);
  const auto of_rank = static_cast<std::size_t>(threads);
  const std::size_t of_round = of_rank * static_cast<std::size_t>(ranks.size());
  for (std::size_t round = 0; round < all.size(); round += of_round) {
    const std::size_t begin =
        std::min(all.size(), round + of_rank * static_cast<std::size_t>(ranks.rank()));
    std::vector<JobResults> results(std::min(of_rank, all.size() - begin));
    parallel_for(results.size(), threads, [&](std::size_t i) {
      check_interrupt();
      results[i] = run_job(study, all[begin + i]);
    });
    MessageWriter writer;
    for (const JobResults& job : results) {
      for (const FinishedUnit& unit : job) put(writer, unit);
    }
    std::size_t next = round;
    for (const std::string& message : ranks.gather(std::move(writer).take())) {
      MessageReader reader(message);
      for (; !reader.rest().empty(); ++next) {
        JobResults of_job;
        for (std::size_t i = 0; i < all[next].size(); ++i) of_job.push_back(get_unit(reader));
        add(all[next], of_job);
      }
    }
  }
}

}  // namespace otss::internal
