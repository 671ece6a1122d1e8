#include "decide_plan.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "context_stream.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"

namespace otss::app {
namespace {

// Writes the solver's answer for each context as a row of the output table, and counts the answers
// of each status.
class AnswerTable {
 public:
  AnswerTable(const Fitted& fitted, const ContextStream& stream, const MilpPlan& plan,
              const Output& output)
      : plan_(plan), writer_(output.path, columns(fitted, stream), 1, output.existing()) {}

  void write(const ContextChunk& chunk, const std::vector<MilpAnswer>& answers) {
    const std::size_t num_factors = answers.empty() ? 0 : answers[0].factor_totals.size();
    std::vector<std::vector<double>> numbers(4 + num_factors);
    std::vector<std::string_view> statuses, solutions;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const MilpAnswer& answer = answers[i];
      ++counts_[static_cast<std::size_t>(answer.status)];
      numbers[0].push_back(static_cast<double>(chunk.first_row + i + 1));
      numbers[1].push_back(answer.objective);
      numbers[2].push_back(answer.bound);
      numbers[3].push_back(answer.gap);
      for (std::size_t f = 0; f < num_factors; ++f) {
        numbers[4 + f].push_back(answer.factor_totals[f]);
      }
      statuses.emplace_back(name_of(answer.status));
      texts.push_back(solution_text(plan_, answer.values));
    }
    for (const std::string& text : texts) solutions.emplace_back(text);
    TableChunk out{chunk.first_row, answers.size(), {chunk.kept.begin(), chunk.kept.end()}};
    out.columns.push_back({ColumnKind::kNumber, numbers[0], {}});
    out.columns.push_back({ColumnKind::kText, {}, statuses});
    for (std::size_t c = 1; c < numbers.size(); ++c) {
      out.columns.push_back({ColumnKind::kNumber, numbers[c], {}});
    }
    out.columns.push_back({ColumnKind::kText, {}, solutions});
    writer_.write(out);
  }

  void commit() { writer_.commit(); }

  std::size_t count(MilpStatus status) const { return counts_[static_cast<std::size_t>(status)]; }

 private:
  static std::vector<ColumnInfo> columns(const Fitted& fitted, const ContextStream& stream) {
    std::vector<ColumnInfo> own{{"row", ColumnKind::kNumber, true},
                                {"status", ColumnKind::kText},
                                {"objective", ColumnKind::kNumber},
                                {"bound", ColumnKind::kNumber},
                                {"gap", ColumnKind::kNumber}};
    for (const std::string& factor : fitted.factor_names()) {
      own.push_back({"z_" + factor, ColumnKind::kNumber});
    }
    own.push_back({"solution", ColumnKind::kText});
    return stream.output_columns(own);
  }

  const MilpPlan& plan_;
  TableWriter writer_;
  std::array<std::size_t, 5> counts_{};
};

constexpr std::array kStatuses{MilpStatus::kOptimal, MilpStatus::kFeasible, MilpStatus::kInfeasible,
                               MilpStatus::kUnbounded, MilpStatus::kLimit};

void note_statuses(const AnswerTable& table, std::size_t num_contexts) {
  if (table.count(MilpStatus::kOptimal) == num_contexts) return;
  std::string counts;
  for (const MilpStatus status : kStatuses) {
    if (table.count(status) == 0) continue;
    counts +=
        fmt::format("{}{} {}", counts.empty() ? "" : ", ", table.count(status), name_of(status));
  }
  note("some contexts have no proven optimum, see the column status; contexts by status: {}",
       counts);
}

}  // namespace

void check_plan_usage(const CLI::App& command) {
  static const std::set<std::string> kTaken{"MODEL",           "CONTEXTS",         "--query",
                                            "--query-seconds", "--query-memory",   "--keep",
                                            "--unknown",       "--outside",        "--threads",
                                            "--output",        "--json",           "--mps",
                                            "--factor-map",    "--overrides",      "--time-limit",
                                            "--gap",           "--keep-objective", "--history",
                                            "--units",         "--unit",           "--time",
                                            "--replace"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const std::string plain = option->get_lnames().empty() ? name : "--" + option->get_lnames()[0];
    if (option->count() > 0 && !kTaken.contains(plain)) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{0} cannot be combined with --mps, because the plan defines the "
                              "feasible decisions; leave out {0} or --mps",
                              plain));
    }
  }
}

void decide_plan(const std::string& model, const ContextArguments& contexts, UnitArguments& units,
                 PlanArguments plan, const Output& output) {
  std::vector<std::string> inputs = plan.inputs();
  inputs.insert(inputs.end(), {model, contexts.source.path});
  output.check(with(inputs, units.inputs()));
  const Fitted fitted = load_model(model);
  const WeightMap& map = fitted.weight_map();
  plan.options.num_threads = contexts.threads;
  units.load(fitted, contexts.reading.rules(), contexts.threads);
  ContextStream stream(contexts, fitted.encoder(), output.path, {}, units.columns());
  const MilpBridge bridge = plan.bridge(fitted);
  AnswerTable table(fitted, stream, bridge.plan(), output);
  std::vector<double> w;
  MilpMemory memory;
  stream.read([&](const ContextChunk& chunk) {
    w.resize(chunk.num_rows * fitted.num_factors());
    map.weights(chunk.num_rows, chunk.x, w);
    add_deviations(chunk.units, w);
    table.write(chunk, bridge.solve(chunk.first_row, chunk.num_rows, w, memory));
  });
  bridge.check_rows(stream.num_rows(), stream.name());
  table.commit();
  warn_about(stream.unknown(), fitted.encoder());
  note_statuses(table, stream.num_rows());
  if (!output.json) return;
  Json summary{{"contexts", stream.num_rows()}, {"solved", memory.num_solved()}};
  for (const MilpStatus status : kStatuses) summary[name_of(status)] = table.count(status);
  fmt::print("{}\n", summary.dump());
}

}  // namespace otss::app
