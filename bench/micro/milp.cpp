// One mixed-integer program per context: 1,000 contexts, a knapsack of 100 variables and 3 rows,
// with one thread and with two. Times are printed only if both give the same answers.
#include "otss/decide/milp.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/random.hpp"
#include "otss/base/process.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr double kBudgetSeconds = 10;
constexpr std::size_t kContexts = 1000, kVariables = 100, kRows = 3;
constexpr int kFactors = 5;

MilpPlan knapsack(Rng& rng) {
  MilpPlan plan;
  plan.source = "knapsack";
  plan.row_lower.assign(kRows, -INFINITY);
  plan.row_upper.assign(kRows, 0);
  for (std::size_t i = 0; i < kRows; ++i) plan.constraints.push_back(fmt::format("c{}", i));
  for (std::size_t j = 0; j < kVariables; ++j) {
    plan.variables.push_back(fmt::format("x{}", j));
    for (std::size_t i = 0; i < kRows; ++i) {
      const double size = 10 + static_cast<double>(rng.below(90));
      plan.row.push_back(static_cast<int>(i));
      plan.value.push_back(size);
      plan.row_upper[i] += size / 3;
    }
    plan.first.push_back(plan.row.size());
  }
  plan.lower.assign(kVariables, 0);
  plan.upper.assign(kVariables, 1);
  plan.integer.assign(kVariables, 1);
  plan.objective.assign(kVariables, 0);
  return plan;
}

FactorMap random_map(const MilpPlan& plan, Rng& rng) {
  FactorMap map{"map",
                plan.variables,
                std::vector<std::size_t>(kVariables),
                {},
                std::vector<double>(kFactors, 0)};
  for (std::size_t j = 0; j < kVariables; ++j) {
    for (int f = 0; f < kFactors; ++f) map.entries.push_back({j, f, rng.normal()});
  }
  return map;
}

bool same(const std::vector<MilpAnswer>& a, const std::vector<MilpAnswer>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].status != MilpStatus::kOptimal || a[i].status != b[i].status) return false;
    if (a[i].values != b[i].values || a[i].objective != b[i].objective) return false;
  }
  return true;
}

}  // namespace

int main() {
  keep_freed_memory();  // as otss decide does
  Rng rng(7000);
  const MilpPlan plan = knapsack(rng);
  const FactorMap map = random_map(plan, rng);
  std::vector<double> w(kContexts * kFactors);
  for (double& value : w) value = rng.normal();
  std::vector<MilpAnswer> answers[2];
  double seconds[2];
  for (int threads : {1, 2}) {
    const MilpBridge bridge(plan, map, {}, {.num_threads = threads});
    seconds[threads - 1] = bench::best_seconds(
        [&] { answers[threads - 1] = bridge.solve(0, kContexts, w); }, kBudgetSeconds);
  }
  if (!same(answers[0], answers[1])) {
    fmt::print("the answers depend on the number of threads\n");
    return 1;
  }
  fmt::print(
      "{} knapsacks of {} variables, {} rows: {:.2f} s with one thread, {:.2f} s with two, "
      "{:.2f}x\n",
      kContexts, kVariables, kRows, seconds[0], seconds[1], seconds[0] / seconds[1]);
  return 0;
}
