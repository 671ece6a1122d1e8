#include "otss/decide/predict.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <optional>

#include "arguments.hpp"
#include "command.hpp"
#include "confidence.hpp"
#include "context_stream.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/data/prepared_tables.hpp"
#include "otss/model/model_file.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct PredictArguments {
  std::string model;
  ContextArguments table;
  UnitArguments units;
  std::string candidates;
  double interval = 0;  // confidence level; 0 means no intervals
  Output output;
};

void check_usage(const PredictArguments& arguments, const Fitted& fitted) {
  if (arguments.interval > 0) {
    require_uncertainty(fitted, "--interval");
    if (!fitted.has_mean_intervals()) {
      throw Error(ErrorCode::kUsage,
                  "--interval: an older version of otss fitted this model and stored no intervals "
                  "of its predictions; fit the model again, or leave out --interval");
    }
  }
  if (!arguments.candidates.empty() && fitted.roles().centered_by.empty()) {
    throw Error(ErrorCode::kUsage,
                "--candidates: this model does not need candidates, because it was not fitted with "
                "--center-factors and --candidates; leave out --candidates");
  }
}

std::vector<ColumnInfo> own_columns(bool with_interval) {
  std::vector<ColumnInfo> own{{"mean", ColumnKind::kNumber}};
  if (with_interval) {
    own.push_back({"mean_lo", ColumnKind::kNumber});
    own.push_back({"mean_hi", ColumnKind::kNumber});
  }
  return own;
}

void run(PredictArguments& arguments) {
  arguments.output.require_path_for_json();
  arguments.output.check(with({arguments.model, arguments.table.source.path, arguments.candidates},
                              arguments.units.inputs()));
  const PreparedTables tables(1, arguments.table.threads);
  const Fitted fitted = load_model(arguments.model);
  check_usage(arguments, fitted);
  std::optional<FeasibleSet> candidates;
  if (!arguments.candidates.empty()) {
    const TableReader reader(
        fitted.encoder().as_trained(arguments.table.beside(arguments.candidates)));
    candidates = read_candidates(reader, fitted.roles().centered_by, "", fitted.factor_names());
  }
  arguments.units.load(fitted, arguments.table.reading.rules(), arguments.table.threads,
                       candidates ? &*candidates : nullptr);
  const bool keeps_types = has_types(arguments.output.path);
  const PredictOptions options{.level = arguments.interval,
                               .keep = split_names(arguments.table.keep),
                               .kept_form = kept_form(keeps_types),
                               .centered_by = candidates ? &*candidates : nullptr,
                               .units = arguments.units.columns(),
                               .unknown = arguments.table.new_values.unknown_policy(),
                               .outside = arguments.table.new_values.outside_policy(),
                               .threads = arguments.table.threads};
  const TableReader reader(fitted.encoder().as_trained(arguments.table.table()));
  const std::vector<ColumnInfo> columns =
      output_columns(reader, keeps_types, options.keep, own_columns(arguments.interval > 0));
  TableWriter writer(arguments.output.path, columns, arguments.table.threads,
                     arguments.output.existing());
  std::size_t num_rows = 0;
  const auto work = [&](const PredictedRows& rows) -> std::function<void()> {
    TableChunk out{rows.first_row, rows.num_rows, {rows.kept.begin(), rows.kept.end()}};
    out.columns.push_back({ColumnKind::kNumber, rows.mean, {}});
    if (options.level > 0) {
      out.columns.push_back({ColumnKind::kNumber, rows.lo, {}});
      out.columns.push_back({ColumnKind::kNumber, rows.hi, {}});
    }
    return [&, count = rows.num_rows, formatted = writer.format(out)] {
      writer.write(formatted);
      num_rows += count;
    };
  };
  const UnknownCounts unknown = predict_in_parallel(fitted, reader, options, work);
  writer.commit();
  warn_about(unknown, fitted.encoder());
  if (!arguments.output.json) return;
  fmt::print("{}\n", Json{{"rows", num_rows},
                          {"unknown_levels", unknown.unknown_levels},
                          {"unexpected_missing", unknown.unexpected_missing},
                          {"far_values", unknown.num_far_values()}}
                         .dump());
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "predict",
      "Predict the mean outcome of each row, which has a context and the factors of a decision");
  const auto arguments = std::make_shared<PredictArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->table.add(*command, "TABLE", "table with the context columns and the factors");
  arguments->units.add(*command, "TABLE");
  add_level(*command, "--interval", arguments->interval,
            "add an interval of this confidence level for each mean: mean_lo and mean_hi");
  command
      ->add_option("--candidates", arguments->candidates,
                   "decisions of each context separately; needed for a model that was "
                   "fitted with --center-factors and --candidates")
      ->type_name("CAND");
  arguments->output.add_table(*command);
  command->footer(
      "Writes one row per row of TABLE, in the order of TABLE. The output has the kept columns and "
      "then the column mean. The mean outcome is a probability for 0/1 outcomes and an expected "
      "count for counts. The interval is an interval of the mean outcome, not of a single "
      "outcome.\nExamples:\n  otss predict model.json "
      "offers.csv --keep offer_id -o predictions.csv\n  otss predict model.json offers.csv "
      "--interval 0.9 -o predictions.parquet");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
