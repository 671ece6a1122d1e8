#include "lab/contest.hpp"

#include <chrono>
#include <cmath>

#include "base/json.hpp"
#include "base/threads.hpp"

namespace otss {
namespace {

// OTSS and pooled choose within their rows; the others by a fifth of them, before all are fitted.
constexpr double kValidation = 0.2;

ContestScore enter(const Simulation& simulation, const LoggedData& log, FitOptions options) {
  options.threads = 1;
  if (options.method != "otss" && options.method != "pooled") options.validation = kValidation;
  const auto begin = std::chrono::steady_clock::now();
  const Fitted fitted = fit(log, options);
  ContestScore score;
  score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  score.heterogeneity_supported =
      Json::parse(fitted.provenance()).at("heterogeneity").at("supported").get<bool>();
  if (fitted.has_weights())
    score.truth = score_test_weights(simulation, test_weights(simulation, fitted));
  return score;
}

std::vector<double> values(const std::vector<ContestScore>& scores, double TruthScore::*field) {
  std::vector<double> result;
  for (const ContestScore& score : scores) result.push_back(score.truth.*field);
  return result;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace

double Contest::mean(std::size_t name, double TruthScore::*field) const {
  return mean_of(values(scores[name], field));
}

double Contest::deviation(std::size_t name, double TruthScore::*field) const {
  const double center = mean(name, field);
  double squares = 0;
  for (const double v : values(scores[name], field)) squares += (v - center) * (v - center);
  return std::sqrt(squares /
                   static_cast<double>(std::max<std::size_t>(1, scores[name].size() - 1)));
}

double Contest::difference(std::size_t name, double TruthScore::*field) const {
  return mean(0, field) - mean(name, field);
}

Interval Contest::difference_interval(std::size_t name, double TruthScore::*field) const {
  std::vector<double> differences = values(scores.front(), field);
  const std::vector<double> other = values(scores[name], field);
  for (std::size_t i = 0; i < other.size(); ++i) differences[i] -= other[i];
  return bootstrap_ratio(differences, {});
}

Contest run_contest(const std::function<Simulation(std::uint64_t seed)>& simulate,
                    const std::vector<Entrant>& entrants, std::uint64_t first_seed, int num_seeds,
                    int num_threads) {
  Contest contest;
  for (const Entrant& entrant : entrants) contest.names.push_back(entrant.name);
  contest.names.emplace_back("oracle gate");
  contest.scores.assign(contest.names.size(), std::vector<ContestScore>(num_seeds));
  parallel_for(num_seeds, num_threads, [&](std::size_t i) {
    const Simulation simulation = simulate(first_seed + i);
    const LoggedData log = training_log(simulation);
    for (std::size_t e = 0; e < entrants.size(); ++e)
      contest.scores[e][i] = enter(simulation, log, entrants[e].options);
    contest.scores.back()[i].truth =
        score_test_weights(simulation, oracle_gate_weights(simulation));
  });
  return contest;
}

}  // namespace otss
