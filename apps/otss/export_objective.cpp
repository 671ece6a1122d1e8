#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "arguments.hpp"
#include "command.hpp"
#include "context_stream.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "plan_arguments.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct ExportArguments {
  std::string model;
  ContextArguments contexts;
  UnitArguments units;
  PlanArguments plan;
  Output output;

  bool writes_plans() const { return is_plan_path(output.path); }
  std::vector<std::string> inputs() const {
    std::vector<std::string> all = plan.inputs();
    all.insert(all.end(), {model, contexts.source.path});
    return with(all, units.inputs());
  }
};

// Computes the weights of each chunk of contexts, and calls take(chunk, weights).
template <class Take>
void for_each_weights(const Fitted& fitted, ContextStream& stream, const Take& take) {
  std::vector<double> w;
  stream.read([&](const ContextChunk& chunk) {
    w.resize(chunk.num_rows * fitted.num_factors());
    fitted.weight_map().weights(chunk.num_rows, chunk.x, w);
    add_deviations(chunk.units, w);
    take(chunk, std::span<const double>(w));
  });
}

// An output table with one row per pair of context and variable. A constant that is not 0 is
// written as a row whose variable is empty.
class ObjectiveTable {
 public:
  ObjectiveTable(const ContextStream& stream, const Output& output)
      : writer_(output.path, stream.output_columns({{"row", ColumnKind::kNumber, true},
                                                    {"variable", ColumnKind::kText},
                                                    {"coefficient", ColumnKind::kNumber}})) {}

  void write(const ContextChunk& chunk, std::size_t i, std::span<const std::string> variables,
             std::span<const double> coefficients, double constant) {
    const std::size_t count = variables.size() + (constant == 0 ? 0 : 1);
    const std::vector<double> rows(count, static_cast<double>(chunk.first_row + i + 1));
    std::vector<std::string_view> names(variables.begin(), variables.end());
    std::vector<double> values(coefficients.begin(), coefficients.end());
    if (constant != 0) {
      names.emplace_back();  // the row of the constant has an empty variable
      values.push_back(constant);
    }
    TableChunk out{num_rows_, count, {}};
    std::vector<std::vector<std::string_view>> kept;
    kept.reserve(chunk.kept.size());
    for (const ColumnChunk& column : chunk.kept) {
      out.columns.push_back({ColumnKind::kText, {}, kept.emplace_back(count, column.texts[i])});
    }
    out.columns.push_back({ColumnKind::kNumber, rows, {}});
    out.columns.push_back({ColumnKind::kText, {}, names});
    out.columns.push_back({ColumnKind::kNumber, values, {}});
    writer_.write(out);
    num_rows_ += count;
  }

  void commit() { writer_.commit(); }

 private:
  TableWriter writer_;
  std::size_t num_rows_ = 0;
};

// Writes the objective as a table. The table has all variables of the plan. Without a plan, it has
// all variables of the factor map.
void export_table(const ExportArguments& arguments, const Fitted& fitted, ContextStream& stream) {
  const std::size_t num_factors = fitted.num_factors();
  ObjectiveTable table(stream, arguments.output);
  if (arguments.plan.is_given()) {
    const MilpBridge bridge = arguments.plan.bridge(fitted);
    for_each_weights(fitted, stream, [&](const ContextChunk& chunk, std::span<const double> w) {
      for (std::size_t i = 0; i < chunk.num_rows; ++i) {
        const MilpProblem problem =
            bridge.problem(chunk.first_row + i, w.subspan(i * num_factors, num_factors));
        table.write(chunk, i, bridge.plan().variables, problem.objective, problem.constant);
      }
    });
  } else {
    const FactorMap map = read_factor_map(arguments.plan.factor_map, fitted);
    for_each_weights(fitted, stream, [&](const ContextChunk& chunk, std::span<const double> w) {
      for (std::size_t i = 0; i < chunk.num_rows; ++i) {
        const auto own = w.subspan(i * num_factors, num_factors);
        table.write(chunk, i, map.variables, weighted_objective(map, own),
                    weighted_constant(map, own));
      }
    });
  }
  table.commit();
}

// Returns the path of the plan of one context. For example, ("plan.mps", 7) gives "plan-7.mps".
std::string numbered(const std::string& path, std::size_t row) {
  const std::filesystem::path whole(path);
  const std::string name =
      fmt::format("{}-{}{}", whole.stem().string(), row, whole.extension().string());
  return (whole.parent_path() / name).string();
}

void export_plans(const ExportArguments& arguments, const Fitted& fitted, ContextStream& stream) {
  const MilpBridge bridge = arguments.plan.bridge(fitted);
  const std::size_t num_factors = fitted.num_factors();
  for_each_weights(fitted, stream, [&](const ContextChunk& chunk, std::span<const double> w) {
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      const std::size_t row = chunk.first_row + i;
      const Output one{numbered(arguments.output.path, row + 1)};
      one.check(arguments.inputs());
      write_plan(bridge.problem(row, w.subspan(i * num_factors, num_factors)), one.path);
    }
  });
  bridge.check_rows(stream.num_rows(), stream.name());
}

void check_usage(const ExportArguments& arguments) {
  arguments.output.require_path_for_json();
  arguments.output.check(arguments.inputs());
  if (arguments.writes_plans() && !arguments.plan.is_given()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("-o {}: a plan file needs constraints; add --mps PLAN "
                            "to give them, or write a table with -o FILE.csv",
                            arguments.output.path));
  }
  if (arguments.writes_plans() && !arguments.contexts.keep.empty()) {
    throw Error(ErrorCode::kUsage,
                "--keep: a plan file cannot hold kept columns; write a table with -o FILE.csv, or "
                "leave out --keep");
  }
  if (!arguments.writes_plans() && !arguments.plan.overrides.empty()) {
    throw Error(
        ErrorCode::kUsage,
        "--overrides: a table of coefficients has no constraints to change; write plan files "
        "with -o FILE.mps or -o FILE.lp, or leave out --overrides");
  }
}

void run(ExportArguments& arguments) {
  check_usage(arguments);
  const Fitted fitted = load_model(arguments.model);
  fitted.weight_map();  // throws now, before any file is written, if the model has no weights
  arguments.units.load(fitted, arguments.contexts.reading.rules(), arguments.contexts.threads);
  ContextStream stream(arguments.contexts, fitted.encoder(), arguments.output.path, {},
                       arguments.units.columns());
  if (arguments.writes_plans()) {
    export_plans(arguments, fitted, stream);
  } else {
    export_table(arguments, fitted, stream);
  }
  warn_about(stream.unknown(), fitted.encoder());
  if (arguments.output.json) fmt::print("{}\n", Json{{"contexts", stream.num_rows()}}.dump());
}

}  // namespace

void add_export_objective(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export-objective",
                                         "Write the objective of each context for another solver");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->contexts.add(*command);
  arguments->units.add(*command, "CONTEXTS");
  arguments->plan.add_files(*command)->required();
  arguments->output.add(
      *command,
      "file for a table with the columns row, variable and coefficient (.csv, .parquet or .json; "
      "default: CSV on stdout); with --mps also FILE.mps or FILE.lp, which writes one plan file "
      "per "
      "context: FILE-1.mps, FILE-2.mps, …");
  command->footer(
      "A table and an .lp file have the coefficients of an objective that is to be maximised. An "
      ".mps file has the coefficients times -1, and its objective is to be minimised.\n"
      "Examples:\n"
      "  otss export-objective model.json customers.csv --factor-map map.csv -o objectives.csv\n"
      "  otss export-objective model.json customers.csv --factor-map map.csv --mps plan.mps -o "
      "weighted.lp");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
