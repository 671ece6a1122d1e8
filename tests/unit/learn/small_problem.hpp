// Problems written down row by row, shared by the tests of comparison methods.
#pragma once

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "learn/methods/method.hpp"
#include "learn/problem/problem.hpp"

namespace otss::test {

using namespace internal;

struct Row {
  std::vector<double> x, z;
  bool outcome = false;
  double weight = 1;
};

inline Problem problem_of(const std::vector<Row>& rows) {
  const auto p = static_cast<int>(rows.front().x.size());
  const auto num_factors = static_cast<int>(rows.front().z.size());
  auto features = std::make_shared<TileMatrix>(rows.size(), p + num_factors);
  std::vector<float> outcomes, weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int j = 0; j < p; ++j) features->at(i, j) = static_cast<float>(rows[i].x[j]);
    for (int j = 0; j < num_factors; ++j) features->at(i, p + j) = static_cast<float>(rows[i].z[j]);
    outcomes.push_back(rows[i].outcome ? 1.0F : 0.0F);
    weights.push_back(static_cast<float>(rows[i].weight));
  }
  return {std::move(features), p, SignedWeights(outcomes, weights)};
}

inline double logistic(double t) { return 1 / (1 + std::exp(-t)); }

inline std::vector<double> normals(Rng& rng, int count) {
  std::vector<double> values(count);
  for (double& value : values) value = rng.normal();
  return values;
}

// Two trade-offs, (2, -1) and (-2, 1), told apart by the sign of x1 + `gate_noise` * logistic
// noise.
inline std::vector<Row> two_trade_offs(int count, double gate_noise, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    row.x = normals(rng, 2);
    row.z = normals(rng, 2);
    const double u = rng.uniform();
    const bool first = row.x[0] + gate_noise * std::log(u / (1 - u)) > 0;
    const double score = (first ? 1 : -1) * (2 * row.z[0] - row.z[1]);
    row.outcome = rng.uniform() < logistic(0.5 * row.x[1] + score);
  }
  return rows;
}

// Fitted under every setting on all rows; the model of the given one.
inline StandardisedModel fit_setting(const ComparisonMethod& method, const Problem& problem,
                                     std::size_t setting, int num_threads = 1) {
  const PooledFit pooled = fit_pooled(problem, num_threads);
  const MethodInput input{problem, problem, pooled, 1, num_threads};
  return method.fit_one(input, setting, method.fit_all(input)[setting]);
}

inline std::vector<double> weights_at(const StandardisedModel& model,
                                      const std::vector<double>& x) {
  const WeightMap& map = *as_scorer(model.scorer).as_weight_map();
  std::vector<double> w(map.num_factors());
  map.weights(x, w);
  return w;
}

// tests/golden/small_log.csv: columns x1, x2, z1, z2, z3, y.
inline std::vector<Row> golden_rows() {
  std::ifstream file(std::string(OTSS_GOLDEN) + "/small_log.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
    rows.push_back({{values[0], values[1]}, {values[2], values[3], values[4]}, values[5] == 1});
  }
  return rows;
}

inline Json golden_numbers(const std::string& name) {
  std::ifstream file(std::string(OTSS_GOLDEN) + "/" + name);
  return Json::parse(file);
}

}  // namespace otss::test
