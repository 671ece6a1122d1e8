// Simulated panels: units with several rows whose weights deviate from the population's by a known
// covariance.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/output_family.hpp"

namespace otss::test {

using namespace internal;

struct PanelOptions {
  OutputFamily family = {};
  int units = 400;
  int rows = 10;  // per unit on average; the number varies from half to one and a half of this
  int factors = 2;
  double noise = 1;  // standard deviation of gaussian outcomes
  std::uint64_t seed = 1;
};

// Contexts x1 and x2, standard normal factors, population weights 0.8, -0.6, 0.8, … and an
// intercept 0.2 + 0.3 x1. `basis` has 1 + factors rows; deviations are basis × standard normals.
class Panel {
 public:
  Panel(const PanelOptions& options, const Eigen::MatrixXd& basis)
      : options_(options), columns_(2 + options.factors) {
    Rng rng(options.seed);
    for (int unit = 0; unit < options.units; ++unit) {
      Eigen::VectorXd e(basis.cols());
      for (double& entry : e) entry = rng.normal();
      const Eigen::VectorXd deviation = basis * e;
      const int rows = options.rows / 2 + static_cast<int>(rng.below(options.rows + 1));
      for (int r = 0; r < std::max(1, rows); ++r) add_row(rng, unit, deviation);
    }
  }

  static double weight(int factor) { return factor % 2 == 0 ? 0.8 : -0.6; }

  LoggedData log(bool with_units = true, const std::vector<double>& groups = {}) const {
    std::vector<NamedColumn> contexts;
    std::vector<NamedColumn> factors;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      names.push_back(c < 2 ? "x" + std::to_string(c + 1) : "z" + std::to_string(c - 1));
    for (std::size_t c = 0; c < columns_.size(); ++c)
      (c < 2 ? contexts : factors).push_back({names[c], columns_[c], {}});
    LogExtras extras;
    extras.outcome = options_.family.outcome_kind();
    const std::vector<std::string_view> units(units_.begin(), units_.end());
    if (with_units) extras.unit.texts = units;
    extras.group.numbers = groups;
    return make_log(contexts, factors, outcomes_, extras);
  }

  std::size_t num_rows() const { return outcomes_.size(); }

 private:
  void add_row(Rng& rng, int unit, const Eigen::VectorXd& deviation) {
    for (auto& column : columns_) column.push_back(rng.normal());
    double eta = 0.2 + 0.3 * columns_[0].back() + deviation[0];
    for (int j = 0; j < options_.factors; ++j)
      eta += (weight(j) + deviation[1 + j]) * columns_[2 + j].back();
    units_.push_back("unit " + std::to_string(unit));
    outcomes_.push_back(draw(rng, eta));
  }

  double draw(Rng& rng, double eta) const {
    if (options_.family == OutputFamily::kGaussian) return eta + options_.noise * rng.normal();
    if (options_.family == OutputFamily::kBernoulli)
      return rng.uniform() < options_.family.mean(eta) ? 1 : 0;
    // A count, by inversion.
    double u = rng.uniform();
    double probability = std::exp(-std::exp(eta));
    int count = 0;
    while (u > probability && count < 1000) {
      u -= probability;
      probability *= std::exp(eta) / ++count;
    }
    return count;
  }

  PanelOptions options_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> outcomes_;
  std::vector<std::string> units_;
};

}  // namespace otss::test
