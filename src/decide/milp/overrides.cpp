#include "decide/milp/overrides.hpp"

#include <fmt/core.h>

#include <cmath>
#include <set>
#include <tuple>

#include "decide/milp/name_index.hpp"
#include "decide/milp/plan_number.hpp"
#include "decide/milp/table_cells.hpp"

namespace otss::internal {
namespace {

using Kind = MilpOverride::Kind;

class OverrideReader {
 public:
  OverrideReader(std::string source, const MilpPlan& plan)
      : source_(std::move(source)),
        plan_(plan),
        variables_(plan.variables),
        constraints_(plan.constraints) {}

  MilpOverride read(std::size_t row, const std::string& kind_text, const std::string& name,
                    double value) const {
    const Kind kind = kind_of(row, kind_text);
    if (kind != Kind::kRhs) value = plan_bound(value);
    check_value(row, kind, value);
    const auto variable = kind == Kind::kRhs ? std::nullopt : variables_.find(name);
    if (variable) return {kind, true, *variable, value};
    const auto constraint = constraints_.find(name);
    if (!constraint) throw unknown(row, kind, name);
    if (kind == Kind::kRhs) check_one_sided(row, name, *constraint);
    return {kind, false, *constraint, value};
  }

  std::size_t context_row(std::size_t row, const std::string& text) const {
    const auto number = plan_number(text);
    if (!number || *number < 1 || *number != std::floor(*number) || *number > 1e15) {
      throw cell_error(
          source_, row, "row",
          fmt::format("'{}' is not a row number; give the number of a row of CONTEXTS, from 1 on",
                      text));
    }
    return static_cast<std::size_t>(*number) - 1;
  }

 private:
  Kind kind_of(std::size_t row, const std::string& text) const {
    if (text == "rhs") return Kind::kRhs;
    if (text == "lower") return Kind::kLower;
    if (text == "upper") return Kind::kUpper;
    throw cell_error(source_, row, "kind",
                     fmt::format("'{}' is unknown; use rhs, lower or upper", text));
  }

  void check_value(std::size_t row, Kind kind, double value) const {
    const bool no_bound = std::isinf(value) && ((kind == Kind::kLower && value < 0) ||
                                                (kind == Kind::kUpper && value > 0));
    if (std::isfinite(value) || no_bound) return;
    throw cell_error(source_, row, "value",
                     "the value is missing or infinite; give a finite number (a lower bound may "
                     "also be -inf, and an upper bound may also be inf)");
  }

  Error unknown(std::size_t row, Kind kind, const std::string& name) const {
    if (kind == Kind::kRhs) {
      return cell_error(source_, row, "name",
                        fmt::format("'{}' has no constraint '{}'; {}", plan_.source, name,
                                    constraints_.way_out(name)));
    }
    return cell_error(source_, row, "name",
                      fmt::format("'{}' has no variable or constraint '{}'; {}", plan_.source, name,
                                  variables_.way_out(name)));
  }

  void check_one_sided(std::size_t row, const std::string& name, std::size_t constraint) const {
    const double lower = plan_.row_lower[constraint], upper = plan_.row_upper[constraint];
    const bool is_equality = lower == upper;
    if (is_equality || std::isinf(lower) != std::isinf(upper)) return;
    throw cell_error(
        source_, row, "kind",
        fmt::format("constraint '{}' has {}; give the kind lower or upper instead of rhs", name,
                    std::isinf(lower) ? "no limit" : "two limits"));
  }

  std::string source_;
  const MilpPlan& plan_;
  NameIndex variables_, constraints_;
};

}  // namespace

MilpOverrides overrides_of(const Table& table, const std::string& source, const MilpPlan& plan) {
  const OverrideReader rows(source, plan);
  MilpOverrides overrides{source, {}};
  std::set<std::tuple<std::size_t, Kind, bool, std::size_t>> seen;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const std::size_t context = rows.context_row(row, table.columns[0].texts[row]);
    const std::string& name = table.columns[2].texts[row];
    const MilpOverride change =
        rows.read(row, table.columns[1].texts[row], name, table.columns[3].numbers[row]);
    if (!seen.emplace(context, change.kind, change.on_variable, change.index).second) {
      throw cell_error(
          source, row, "name",
          fmt::format("'{}' is set twice for context row {}; keep one of the two entries", name,
                      context + 1));
    }
    overrides.by_row[context].push_back(change);
  }
  return overrides;
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

MilpOverrides read_milp_overrides(const TableReader& reader, const MilpPlan& plan) {
  return overrides_of(read_named_columns(reader, "--overrides", {"row", "kind", "name", "value"}),
                      reader.name(), plan);
}

MilpOverrides read_milp_overrides(const std::string& path, const MilpPlan& plan) {
  return read_milp_overrides(TableReader({path, ""}), plan);
}

}  // namespace otss
