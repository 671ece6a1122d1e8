// Fuzz target: the journal of a study that is resumed. An input that begins with a line break gets the
// right first line.
#include "base/json.hpp"
#include "lab/studies/output/present.hpp"
#include "lab/studies/study.hpp"
#include "promises.hpp"
#include "scratch_folder.hpp"

namespace otss::fuzz {
namespace {

using namespace internal;

std::vector<MethodResult> made_up_results(std::uint64_t seed) {
  MethodResult pooled{"pooled", {}}, otss{"otss", {}};
  pooled.measured.regret = 0.25 * static_cast<double>(seed);
  otss.measured.regret = 0.125;
  otss.measured.weight_mse = 1.0 / 3;
  return {pooled, otss};
}

// A study that costs nothing. The seeds of the corpus are journals of this study.
Study toy_study() {
  Study study{
      .name = "toy", .title = "A toy", .about = "Made up.", .specification = {{"made", "up"}}};
  for (const char* name : {"one", "two"})
    study.settings.push_back({name, name, made_up_results, {{"otss", {.regret = 0.5}}}});
  study.present = present_methods;
  return study;
}

// The first line of a journal of the study. It has the version of otss, so no seed can contain it.
std::string first_line(const Study& study) {
  const ScratchFolder folder("first-line");
  run_study(study, {.seeds = 1, .threads = 1, .folder = folder.path("")});
  const std::string journal = folder.read("toy/journal.jsonl");
  return journal.substr(0, journal.find('\n'));
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  static const fuzz::ScratchFolder folder("journal");
  static const internal::Study study = fuzz::toy_study();
  static const std::string first_line = fuzz::first_line(study);
  std::string given(fuzz::text_of(data, size));
  if (given.starts_with('\n')) given.insert(0, first_line);
  folder.write("toy/journal.jsonl", given);
  const StudyOptions options{.seeds = 2, .first_seed = 5, .threads = 1, .folder = folder.path("")};
  const auto run = [&] { internal::run_study(study, options); };
  if (!fuzz::accepts(run)) {
    // Only an incomplete last line is dropped.
    const std::string complete = given.substr(0, given.rfind('\n') + 1);
    fuzz::require(folder.read("toy/journal.jsonl").starts_with(complete),
                  "a refused journal keeps its lines");
    return 0;
  }
  const std::string journal = folder.read("toy/journal.jsonl");
  const std::string results = folder.read("toy/results.csv");
  fuzz::require(fuzz::accepts(run), "a finished study can be resumed");
  fuzz::require(folder.read("toy/journal.jsonl") == journal, "resuming it runs nothing again");
  fuzz::require(folder.read("toy/results.csv") == results, "resuming it gives the same results");
  return 0;
}
