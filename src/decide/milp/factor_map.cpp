#include "decide/milp/factor_map.hpp"

#include <fmt/core.h>

#include <cmath>
#include <unordered_set>

#include "base/number_limit.hpp"
#include "decide/milp/name_index.hpp"
#include "decide/milp/table_cells.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr const char* kConstant = "";  // a row whose variable has this name adds a constant

class FactorMapReader {
 public:
  FactorMapReader(const std::string& source, const std::vector<std::string>& factors)
      : factors_(factors) {
    map_.source = source;
    map_.constants.assign(factors.size(), 0);
  }

  void take(std::size_t row, const std::string& variable, const std::string& factor,
            double coefficient) {
    const auto known = factors_.find(factor);
    if (!known) {
      throw cell_error(
          map_.source, row, "factor",
          fmt::format("the model has no factor '{}'; {}", factor, factors_.way_out(factor)));
    }
    if (!std::isfinite(coefficient)) {
      throw cell_error(map_.source, row, "coefficient",
                       "the value is missing or infinite; give every row a finite number");
    }
    if (std::abs(coefficient) > kLargestNumber) {
      throw cell_error(
          map_.source, row, "coefficient",
          fmt::format("the value {0:g} is outside the limits -{1:g} and {1:g} of a coefficient; "
                      "correct the value",
                      coefficient, kLargestNumber));
    }
    const auto [column, is_new] = variables_.insert(variable);
    if (!pairs_.insert(column * factors_.size() + *known).second) {
      throw cell_error(
          map_.source, row, "variable",
          fmt::format("variable '{}' with factor '{}' is listed twice; keep one of the two rows",
                      variable, factor));
    }
    if (variable == kConstant) {
      map_.constants[*known] = coefficient;
      return;
    }
    if (is_new) add_variable(variable, row);
    map_.entries.push_back({position_[column], static_cast<int>(*known), coefficient});
  }

  FactorMap finish() && { return std::move(map_); }

 private:
  void add_variable(const std::string& variable, std::size_t row) {
    position_.resize(variables_.size());
    position_.back() = map_.variables.size();
    map_.variables.push_back(variable);
    map_.first_mention.push_back(row);
  }

  FactorMap map_;
  NameIndex factors_, variables_;      // variables_ also contains kConstant
  std::vector<std::size_t> position_;  // for each index in variables_, the index in map_.variables
  std::unordered_set<std::size_t> pairs_;
};

}  // namespace

FactorMap factor_map_of(const Table& table, const std::string& source,
                        const std::vector<std::string>& factors) {
  FactorMapReader map(source, factors);
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    map.take(row, table.columns[0].texts[row], table.columns[1].texts[row],
             table.columns[2].numbers[row]);
  }
  return std::move(map).finish();
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

FactorMap read_factor_map(const TableReader& reader, const std::vector<std::string>& factors) {
  return factor_map_of(
      read_named_columns(reader, "--factor-map", {"variable", "factor", "coefficient"}),
      reader.name(), factors);
}

FactorMap read_factor_map(const std::string& path, const std::vector<std::string>& factors) {
  return read_factor_map(TableReader({path, ""}), factors);
}

FactorMap read_factor_map(const std::string& path, const Fitted& fitted) {
  for (const FactorColumn& factor : fitted.encoder().factors) {
    if (!factor.term) continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("the model has the term '{}', so its score is not linear in the "
                            "variables of a plan; choose from --library LIB or --candidates CAND, "
                            "or fit a model without terms",
                            factor.name));
  }
  return read_factor_map(path, fitted.factor_names());
}

std::vector<double> weighted_objective(const FactorMap& map, std::span<const double> w) {
  std::vector<double> c(map.variables.size(), 0);
  for (const FactorMap::Entry& entry : map.entries) {
    c[entry.variable] += entry.coefficient * w[entry.factor];
  }
  return c;
}

double weighted_constant(const FactorMap& map, std::span<const double> w) {
  double sum = 0;
  for (std::size_t f = 0; f < map.constants.size(); ++f) sum += map.constants[f] * w[f];
  return sum;
}

}  // namespace otss
