// Fuzz target: the factor map and the overrides of a plan, as rows of cells. A row with three cells
// belongs to the factor map, a row with four cells to the overrides.
#include "data/table/number_text.hpp"
#include "decide/milp/factor_map.hpp"
#include "decide/milp/overrides.hpp"
#include "plan_promises.hpp"

namespace otss::fuzz {
namespace {

constexpr const char* kPlan = R"(Maximize
 value: a + 2 b - c
Subject To
 size: 3 a + 2 b + 4 c + d <= 6
 least: a + b >= 1
 exact: c + d = 1
 both: -2 <= a - d <= 2
Bounds
 c <= 10
 d free
Generals
 c
Binaries
 a b
End
)";

// A table whose last column has numbers, and whose other columns have texts.
class Rows {
 public:
  explicit Rows(std::size_t num_columns) : table_{0, std::vector<Column>(num_columns)} {
    for (Column& column : table_.columns) column.kind = ColumnKind::kText;
    table_.columns.back().kind = ColumnKind::kNumber;
  }

  void add(const std::vector<std::string_view>& cells) {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      table_.columns[i].texts.emplace_back(cells[i]);
      table_.columns[i].missing.push_back(cells[i].empty());
    }
    const auto number = internal::parse_number(cells.back());
    table_.columns.back().numbers.push_back(
        number.value_or(std::numeric_limits<double>::quiet_NaN()));
    ++table_.num_rows;
  }

  const Table& table() const { return table_; }

 private:
  Table table_;
};

void require_sound(const MilpProblem& problem) {
  require_finite(problem.objective, "the objective of a context is finite");
  require(std::isfinite(problem.constant), "the constant of a context is finite");
  require_bounds(problem.lower, problem.upper);
  require_bounds(problem.row_lower, problem.row_upper);
}

void plan(const Table& map_rows, const Table& override_rows) {
  static const MilpPlan plan = internal::read_lp("plan.lp", kPlan);
  static const std::vector<std::string> factors{"price", "health"};
  static const std::vector<double> weights{-1.5, 0.25};
  FactorMap map = internal::factor_map_of(map_rows, "map.csv", factors);
  MilpOverrides overrides = internal::overrides_of(override_rows, "overrides.csv", plan);
  const MilpBridge bridge(plan, std::move(map), std::move(overrides), {.keep_objective = true});
  accepts([&] { bridge.check_rows(3, "contexts.csv"); });
  for (std::size_t row = 0; row < 3; ++row) {
    const MilpProblem problem = bridge.problem(row, weights);
    require_sound(problem);
    require_same_when_written(problem, mps_text, internal::read_mps);
    require_same_rows_in_mps(problem);
    require_same_when_written(problem, lp_text, internal::read_lp);
  }
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss::fuzz;
  Rows map(3), overrides(4);
  for (const std::string_view line : parts_of(text_of(data, size), '\n')) {
    const std::vector<std::string_view> cells = parts_of(line, ',');
    if (cells.size() == 3) map.add(cells);
    if (cells.size() == 4) overrides.add(cells);
  }
  accepts([&] { plan(map.table(), overrides.table()); });
  return 0;
}
