// Compares methods on logs with a known truth: mean regret and weight error over seeds, and the
// difference "first entrant minus this one" with a paired bootstrap interval.
//
//   contest STUDY FIRST_SEED SEEDS ENTRANT...
//
// STUDY: overlap, quadratic, pooled, worlds, experts-K (true K), journey=FOLDER, or a setting of Panel B:
//   hard, soft or high-n, then perhaps -randR and -expertsK, for example hard-rand0.4
// ENTRANT: method[,experts=K][,estimator=E][,gate=G][,deploy=D][,treatment=T], for example otss,experts=2
#include "lab/scoring/contest.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/threads.hpp"
#include "lab/journey/journey.hpp"
#include "lab/worlds/random_world.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

// "hard", "soft" or "high-n", then perhaps "-randR" and "-expertsK": a setting of Panel B.
Simulate matched(const std::string& name) {
  MatchedSpec spec;
  if (name.starts_with("hard")) spec.truth = TruthForm::kHard;
  if (name.starts_with("high-n")) spec.n = 4000;
  if (const auto at = name.find("-rand"); at != name.npos)
    spec.rand = std::stod(name.substr(at + 5));
  if (const auto at = name.find("-experts"); at != name.npos)
    spec.experts = std::stoi(name.substr(at + 8));
  return [spec](auto seed) {
    MatchedSpec own = spec;
    own.seed = seed;
    return simulate_matched(own);
  };
}

Simulate study(const std::string& name) {
  const std::map<std::string, Simulate> studies = {
      {"overlap", [](auto seed) { return simulate_overlap({.seed = seed}); }},
      {"quadratic",
       [](auto seed) { return simulate_overlap({.score = ScoreForm::kQuadratic, .seed = seed}); }},
      {"pooled", [](auto seed) { return simulate_pooled({.seed = seed}); }},
      {"worlds", [](auto seed) { return simulate_random_world(seed); }}};
  for (const char* const truth : {"hard", "soft", "high-n"}) {
    if (name.starts_with(truth)) return matched(name);
  }
  if (name.starts_with("experts-")) {
    const int experts = std::atoi(name.c_str() + 8);
    return [experts](auto seed) { return simulate_experts({.experts = experts, .seed = seed}); };
  }
  if (name.starts_with("journey=")) {
    const auto data = std::make_shared<const JourneyData>(load_journey(name.substr(8)));
    return [data](auto seed) { return simulate_journey(*data, seed); };
  }
  return studies.at(name);
}

template <class Enum>
void set(Enum& value, const std::string& text) {
  const auto parsed = parse_word<Enum>(text);
  if (!parsed) throw std::runtime_error("'" + text + "' is not a value of its option");
  value = *parsed;
}

// "otss,experts=2,gate=quadratic"
Entrant entrant(const std::string& text) {
  std::istringstream parts(text);
  std::string part;
  Entrant result{text, {}};
  FitOptions& options = result.options;
  std::getline(parts, part, ',');
  set(options.method, part);
  while (std::getline(parts, part, ',')) {
    const auto equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = part.substr(equals + 1);
    if (key == "experts") {
      options.experts = std::stoi(value);
    } else if (key == "estimator") {
      set(options.estimator, value);
    } else if (key == "gate") {
      set(options.gate, value);
    } else if (key == "deploy") {
      set(options.deploy, value);
    } else if (key == "treatment") {
      Treatment treatment{};
      set(treatment, value);
      result.treatment = treatment;
    } else {
      throw std::runtime_error("'" + key + "' is not an option of a contest");
    }
  }
  return result;
}

double mean_seconds(const std::vector<Scorecard>& scores) {
  double sum = 0;
  for (const Scorecard& score : scores) sum += score.seconds;
  return sum / static_cast<double>(scores.size());
}

int num_supported(const std::vector<Scorecard>& scores) {
  int count = 0;
  for (const Scorecard& score : scores) count += score.supported == 1 ? 1 : 0;
  return count;
}

void print(const Contest& contest) {
  const std::size_t oracle = contest.names.size() - 1;
  fmt::print("{:<28} {:>16} {:>8} {:>16} {:>26} {:>26} {:>9} {:>7}\n", "", "regret", "/oracle",
             "weight MSE", "first minus it: regret", "weight MSE", "supported", "seconds");
  for (std::size_t e = 0; e < contest.names.size(); ++e) {
    const auto column = [&](double Scorecard::*field) {
      return fmt::format("{:.4f} +- {:.4f}", contest.mean(e, field), contest.deviation(e, field));
    };
    const auto difference = [&](double Scorecard::*field) {
      const Interval interval = contest.difference_interval(e, field);
      return fmt::format("{:+.4f} [{:+.4f},{:+.4f}]", contest.difference(e, field), interval.lo,
                         interval.hi);
    };
    fmt::print("{:<28} {:>16} {:>8.3f} {:>16} {:>26} {:>26} {:>9} {:>7.2f}\n", contest.names[e],
               column(&Scorecard::regret),
               contest.mean(e, &Scorecard::regret) / contest.mean(oracle, &Scorecard::regret),
               column(&Scorecard::weight_mse), difference(&Scorecard::regret),
               difference(&Scorecard::weight_mse), num_supported(contest.scores[e]),
               mean_seconds(contest.scores[e]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: contest STUDY FIRST_SEED SEEDS ENTRANT...\n");
    return 2;
  }
  std::vector<Entrant> entrants;
  for (int i = 4; i < argc; ++i) entrants.push_back(entrant(argv[i]));
  fmt::print("{}, {} seeds from {}\n", argv[1], argv[3], argv[2]);
  print(run_contest(study(argv[1]), entrants, std::strtoull(argv[2], nullptr, 10),
                    std::atoi(argv[3]), hardware_threads()));
}
