#include <fmt/core.h>

#include <cstdio>
#include <functional>

#include "arguments.hpp"
#include "choice_option.hpp"
#include "command.hpp"
#include "confidence.hpp"
#include "context_stream.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/prepared_tables.hpp"
#include "otss/decide/batch_weights.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/uncertainty.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct WeightsArguments {
  std::string model;
  ContextArguments contexts;
  UnitArguments units;
  Output output;
  bool gate = false;
  double interval = 0;  // confidence level; 0 means no intervals
  bool simultaneous = false;
  Device device = Device::kCpu;
};

// Appends each column of a row-major matrix to `out`.
void append_columns(std::span<const double> matrix, std::size_t num_columns,
                    std::vector<std::vector<double>>& out) {
  for (std::size_t c = 0; c < num_columns; ++c) {
    std::vector<double>& column = out.emplace_back(matrix.size() / num_columns);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = matrix[i * num_columns + c];
  }
}

std::vector<double> shares(const Mixture& mixture, std::size_t rows, std::span<const double> x) {
  std::vector<double> alpha(rows * mixture.num_experts());
  mixture.shares(rows, x, alpha);
  return alpha;
}

// Returns the probability of each expert, given the history of the row's unit.
std::vector<double> shares_of_units(const Fitted& fitted, const ContextChunk& chunk) {
  const std::size_t p = fitted.num_contexts(), num_experts = fitted.num_experts();
  std::vector<double> result(chunk.num_rows * num_experts);
  for (std::size_t i = 0; i < chunk.num_rows; ++i)
    expert_posterior(fitted, chunk.x.subspan(i * p, p), chunk.units[i],
                     std::span(result).subspan(i * num_experts, num_experts));
  return result;
}

// Returns the bounds lo and hi of each of the J weights, as a row-major matrix of rows × 2J.
std::vector<double> bounds(const Fitted& fitted, const WeightsArguments& arguments,
                           const ContextChunk& chunk) {
  const Coverage coverage = arguments.simultaneous ? Coverage::kAllFactors : Coverage::kEachFactor;
  std::vector<double> lo(chunk.num_rows * fitted.num_factors());
  std::vector<double> hi(lo.size());
  fitted.intervals(chunk.num_rows, chunk.x, arguments.interval, lo, hi, coverage,
                   arguments.contexts.threads, chunk.units);
  std::vector<double> result;
  for (std::size_t i = 0; i < lo.size(); ++i) result.insert(result.end(), {lo[i], hi[i]});
  return result;
}

std::vector<ColumnInfo> own_columns(const Fitted& fitted, const WeightsArguments& arguments) {
  std::vector<ColumnInfo> own;
  const std::vector<std::string> factors = fitted.factor_names();
  for (const std::string& factor : factors) own.push_back({"w_" + factor, ColumnKind::kNumber});
  for (const std::string& factor : factors) {
    if (arguments.interval == 0) break;
    own.push_back({"w_" + factor + "_lo", ColumnKind::kNumber});
    own.push_back({"w_" + factor + "_hi", ColumnKind::kNumber});
  }
  for (int k = 1; arguments.gate && k <= fitted.num_experts(); ++k)
    own.push_back({fmt::format("alpha_{}", k), ColumnKind::kNumber});
  const bool of_units = arguments.gate && arguments.units.is_given();
  for (int k = 1; of_units && k <= fitted.num_experts(); ++k)
    own.push_back({fmt::format("alpha_{}_unit", k), ColumnKind::kNumber});
  return own;
}

void check_usage(const WeightsArguments& arguments, const Fitted& fitted) {
  if (arguments.gate && fitted.mixture() == nullptr) {
    throw Error(ErrorCode::kUsage, fmt::format("--gate: a {} model has no gate; leave out --gate",
                                               word(fitted.method())));
  }
  if (arguments.interval > 0) require_uncertainty(fitted, "--interval");
}

void run(WeightsArguments& arguments) {
  if (arguments.simultaneous && arguments.interval == 0) {
    throw Error(ErrorCode::kUsage,
                "--simultaneous needs --interval LEVEL; add --interval 0.9, for example");
  }
  arguments.output.require_path_for_json();
  arguments.output.check(
      with({arguments.model, arguments.contexts.source.path}, arguments.units.inputs()));
  const PreparedTables tables(1, arguments.contexts.threads);
  const Fitted fitted = load_model(arguments.model);
  arguments.units.load(fitted, arguments.contexts.reading.rules(), arguments.contexts.threads);
  ContextStream stream(arguments.contexts, fitted.encoder(), arguments.output.path, {},
                       arguments.units.columns());
  const BatchWeights weights(fitted, arguments.device);
  check_usage(arguments, fitted);
  if (arguments.interval > 0) note_failed_checks(fitted);
  TableWriter writer(arguments.output.path, stream.output_columns(own_columns(fitted, arguments)),
                     arguments.contexts.threads, arguments.output.existing(),
                     arguments.contexts.ranks);
  stream.read_in_parallel([&](const ContextChunk& chunk) -> std::function<void()> {
    std::vector<double> w(chunk.num_rows * fitted.num_factors());
    weights.compute(chunk.num_rows, chunk.x, w);
    add_deviations(chunk.units, w);
    std::vector<std::vector<double>> columns;
    append_columns(w, fitted.num_factors(), columns);
    if (arguments.interval > 0)
      append_columns(bounds(fitted, arguments, chunk), 2 * fitted.num_factors(), columns);
    if (arguments.gate)
      append_columns(shares(*fitted.mixture(), chunk.num_rows, chunk.x), fitted.num_experts(),
                     columns);
    if (arguments.gate && arguments.units.is_given())
      append_columns(shares_of_units(fitted, chunk), fitted.num_experts(), columns);
    TableChunk out{chunk.first_row, chunk.num_rows, {chunk.kept.begin(), chunk.kept.end()}};
    for (const auto& column : columns) out.columns.push_back({ColumnKind::kNumber, column, {}});
    return [&writer, rows = writer.format(out)] { writer.write(rows); };
  });
  writer.commit();
  warn_about(stream.unknown(), fitted.encoder());
  if (!arguments.output.json || !is_first(arguments.contexts.ranks)) return;
  Json summary{{"rows", stream.num_rows()},
               {"unknown_levels", stream.unknown().unknown_levels},
               {"unexpected_missing", stream.unknown().unexpected_missing},
               {"far_values", stream.unknown().num_far_values()}};
  if (arguments.units.is_given()) summary["rows_of_known_units"] = stream.num_known();
  fmt::print("{}\n", summary.dump());
}

}  // namespace

void add_weights(CLI::App& app, Ranks* ranks) {
  CLI::App* command = app.add_subcommand("weights", "Compute the weight vector of each context");
  const auto arguments = std::make_shared<WeightsArguments>();
  if (ranks != nullptr) arguments->contexts.share(*ranks);
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->contexts.add(*command);
  arguments->units.add(*command, "CONTEXTS");
  add_level(
      *command, "--interval", arguments->interval,
      "add an interval of this confidence level for each weight: w_<factor>_lo and w_<factor>_hi");
  command->add_flag(
      "--simultaneous", arguments->simultaneous,
      "with --interval: widen the intervals, so that with this confidence all weights of a context "
      "are inside their intervals at the same time");
  command->add_flag(
      "--gate", arguments->gate,
      "add the share of each expert: alpha_1 … alpha_K; with --history or --units also "
      "the probability of each expert, given the unit's rows: alpha_1_unit …");
  add_choice(*command, "--device", arguments->device,
             "what computes the weights: the processor (cpu) or an NVIDIA GPU (cuda); the numbers "
             "differ by "
             "rounding");
  arguments->output.add_table(*command);
  command->footer(
      "Writes one row per context, in the order of CONTEXTS. The output has the kept columns and "
      "then "
      "the weights w_<factor>, in the units of the log's columns.\nExamples:\n  otss weights "
      "model.json "
      "customers.csv --keep "
      "customer_id -o weights.csv\n  otss weights model.json customers.csv --interval 0.9 -o "
      "weights.csv\n  otss weights model.json customers.parquet --gate -o weights.parquet\n  otss "
      "weights model.json customers.csv --history log.csv --unit customer_id --interval 0.9 -o "
      "weights.csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
