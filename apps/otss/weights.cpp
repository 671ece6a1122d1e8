#include <fmt/core.h>

#include <cstdio>

#include "arguments.hpp"
#include "base/json.hpp"
#include "command.hpp"
#include "context_stream.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"

namespace otss::app {
namespace {

struct WeightsArguments {
  std::string model;
  ContextArguments contexts;
  Output output;
  bool gate = false;
};

// rows × columns, row after row, to one vector per column.
void append_columns(std::span<const double> matrix, std::size_t num_columns,
                    std::vector<std::vector<double>>& out) {
  for (std::size_t c = 0; c < num_columns; ++c) {
    std::vector<double> column;
    for (std::size_t i = c; i < matrix.size(); i += num_columns) column.push_back(matrix[i]);
    out.push_back(std::move(column));
  }
}

std::vector<double> shares(const Gate& gate, std::size_t rows, std::span<const double> x) {
  std::vector<double> alpha(rows * gate.num_experts());
  for (std::size_t i = 0; i < rows; ++i) {
    gate.shares(x.subspan(i * gate.num_contexts(), gate.num_contexts()),
                std::span(alpha).subspan(i * gate.num_experts(), gate.num_experts()));
  }
  return alpha;
}

void run(const WeightsArguments& arguments) {
  arguments.output.require_path_for_json();
  arguments.output.check({arguments.model, arguments.contexts.source.path});
  const Fitted fitted = load_model(arguments.model);
  ContextStream stream(arguments.contexts, fitted.encoder());
  const WeightMap& map = fitted.weight_map();
  const SoftMixture* mixture = fitted.mixture();
  if (arguments.gate && mixture == nullptr) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--gate: a {} model has no gate; leave it out", fitted.method()));
  }
  const int experts = arguments.gate ? mixture->num_experts() : 0;
  std::vector<ColumnInfo> own;
  for (const std::string& factor : fitted.factor_names())
    own.push_back({"w_" + factor, ColumnKind::kNumber});
  for (int k = 1; k <= experts; ++k) {
    own.push_back({fmt::format("alpha_{}", k), ColumnKind::kNumber});
  }
  TableWriter writer(arguments.output.path, stream.output_columns(own));
  std::vector<double> w;
  stream.read([&](const ContextChunk& chunk) {
    w.resize(chunk.num_rows * fitted.num_factors());
    map.weights(chunk.num_rows, chunk.x, w);
    std::vector<std::vector<double>> columns;
    append_columns(w, fitted.num_factors(), columns);
    if (arguments.gate) {
      append_columns(shares(mixture->gate(), chunk.num_rows, chunk.x), experts, columns);
    }
    TableChunk out{chunk.first_row, chunk.num_rows, {chunk.kept.begin(), chunk.kept.end()}};
    for (const auto& column : columns) out.columns.push_back({ColumnKind::kNumber, column, {}});
    writer.write(out);
  });
  writer.commit();
  warn_about(stream.unknown());
  if (arguments.output.json) {
    fmt::print("{}\n", Json{{"rows", stream.num_rows()},
                            {"unknown_levels", stream.unknown().unknown_levels},
                            {"unexpected_missing", stream.unknown().unexpected_missing}}
                           .dump());
  }
}

}  // namespace

void add_weights(CLI::App& app) {
  CLI::App* command = app.add_subcommand("weights", "The weight vector of each context");
  const auto arguments = std::make_shared<WeightsArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->contexts.add(*command);
  command->add_flag("--gate", arguments->gate, "add each expert's share, alpha_1 … alpha_K");
  arguments->output.add(*command,
                        "where to write the table (.csv, .parquet, .json); stdout without");
  command->footer(
      "Gives, per context and in order, the kept columns and w_<factor> in the units of the log's "
      "own columns.\n"
      "Examples:\n"
      "  otss weights model.json customers.csv --keep customer_id -o weights.csv\n"
      "  otss weights model.json customers.parquet --gate -o weights.parquet");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
