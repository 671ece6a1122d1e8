// A model whose units differ, and histories of such units with known deviations.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "model/fitted_parts.hpp"
#include "model/uncertainty/normal_uncertainty.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

// Two experts over one context column, `num_factors` factors with other centers and scales than 0
// and 1, and units that differ with the standard deviation `spread` in every factor, correlated by
// 0.3.
inline Fitted::Parts unit_model(int num_factors, OutputFamily family = OutputFamily::kBernoulli,
                                double spread = 0.6) {
  using namespace internal;
  Fitted::Parts parts;
  parts.family = family;
  parts.encoder.contexts = {{.name = "age", .center = 40, .scale = 10}};
  parts.roles = {.contexts = {"age"}, .outcome = "y"};
  parts.roles.unit = "who";
  std::vector<double> experts;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < num_factors; ++j)
      experts.push_back((k == 0 ? 0.5 : -0.4) / (1 + j) + 0.1 * j);
  }
  for (int j = 0; j < num_factors; ++j) {
    parts.encoder.factors.push_back({fmt::format("z{}", j + 1), 0.1 * j, 1 + 0.2 * j});
    parts.roles.factors.push_back(parts.encoder.factors.back().name);
  }
  const auto mixture = std::make_shared<SoftMixture>(LinearGate(1, {1, -1}, {0.1, -0.1}),
                                                     num_factors, std::move(experts));
  parts.scorer = mixture;
  parts.baseline = {0.2, {0.3}, {0.1, -0.1}, 0.8};
  const std::size_t size = 1 + static_cast<std::size_t>(num_factors);
  parts.deviations = Deviations{DeviationForm::kFull, static_cast<int>(size), {}};
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      parts.deviations->covariance.push_back(spread * spread * (i == j ? 1 : 0.3));
  }
  const MixtureSize parameters{1, num_factors, 2};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.05);
  NormalUncertainty::Factor weights{std::vector<double>(parameters.size() * 4), 4};
  for (double& entry : weights.rows) entry = normal(random);
  NormalUncertainty::Factor baseline{std::vector<double>(parameters.baseline_size() * 6), 6};
  for (double& entry : baseline.rows) entry = normal(random);
  parts.uncertainty =
      std::make_shared<NormalUncertainty>(mixture, std::move(weights), std::move(baseline));
  return parts;
}

// A test with a folder of its own for histories.
class HistoryTest : public testing::Test {
 protected:
  HistoryTest()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("otss-units-{}-{}", getpid(),
                            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~HistoryTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Writes the rows with times from `first` to `last` of `num_units` units. Row t of a unit is the
  // same in every file with the same seed.
  std::string write_history(const std::string& name, const Fitted& fitted, int num_units, int first,
                            int last, unsigned seed = 1) const {
    std::ofstream file(path(name));
    const int num_factors = fitted.num_factors();
    file << "who,t,age";
    for (int j = 0; j < num_factors; ++j) file << ",z" << j + 1;
    file << ",y\n";
    for (int unit = 0; unit < num_units; ++unit) {
      std::mt19937_64 random(seed * 1000003 + unit);
      std::normal_distribution<double> normal;
      std::vector<double> deviation(1 + num_factors);
      const double shared = 0.6 * std::sqrt(0.3) * normal(random);
      for (double& entry : deviation) entry = shared + 0.6 * std::sqrt(0.7) * normal(random);
      for (int t = 1; t <= last; ++t) {
        std::vector<double> x(1), z;
        const double age = 40 + 10 * normal(random);
        fitted.encode({{"age", age}}, x);
        double own = deviation[0];
        std::string row = fmt::format("u{},{},{}", unit, t, age);
        for (int j = 0; j < num_factors; ++j) {
          const FactorColumn& factor = fitted.encoder().factors[j];
          z.push_back(normal(random));
          row += fmt::format(",{}", factor.center + factor.scale * z.back());
          own += deviation[1 + j] * z.back();
        }
        const double eta = fitted.standardised_predictor(x, z) + own;
        const double luck = std::uniform_real_distribution<double>()(random);
        const double noise = normal(random);
        const double outcome = fitted.family() == OutputFamily::kGaussian ? eta + 0.8 * noise
                               : fitted.family() == OutputFamily::kPoisson
                                   ? std::floor(2 * luck + std::exp(eta) / 2)
                                   : (luck < 1 / (1 + std::exp(-eta)) ? 1 : 0);
        if (t >= first) file << row << fmt::format(",{}\n", outcome);
      }
    }
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace otss
