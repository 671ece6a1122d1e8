#include <fmt/core.h>

#include <cstdio>
#include <deque>

#include "arguments.hpp"
#include "base/json.hpp"
#include "base/threads.hpp"
#include "command.hpp"
#include "context_stream.hpp"
#include "decide_plan.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/model_file.hpp"

namespace otss::app {
namespace {

struct DecideArguments {
  std::string model;
  ContextArguments contexts;
  std::string library, candidates, context_id, id;
  DecideOptions options;
  bool explain = false;
  PlanArguments plan;
  Output output;
};

std::vector<std::string> texts_of(const ColumnChunk& column) {
  std::vector<std::string> texts;
  for (const std::string_view text : column.texts)
    texts.emplace_back(text.data() == nullptr ? "" : text);
  return texts;
}

// Decisions as rows of the output table.
class DecisionTable {
 public:
  DecisionTable(const Fitted& fitted, const ContextStream& stream, const DecideArguments& arguments)
      : fitted_(fitted),
        explain_(arguments.explain),
        writer_(arguments.output.path, columns(fitted, stream)) {}

  void write(const ContextChunk& chunk, const std::vector<Decision>& decisions,
             const Library& table) {
    std::deque<std::vector<double>> numbers;
    std::deque<std::vector<std::string_view>> texts;
    TableChunk out{num_rows_, decisions.size(), {}};
    const auto add = [&](const auto& value_of) {
      numbers.emplace_back();
      for (const Decision& d : decisions) numbers.back().push_back(value_of(d));
      out.columns.push_back({ColumnKind::kNumber, numbers.back(), {}});
    };
    const auto add_text = [&](const auto& value_of) {
      texts.emplace_back();
      for (const Decision& d : decisions) texts.back().push_back(value_of(d));
      out.columns.push_back({ColumnKind::kText, {}, texts.back()});
    };
    for (const ColumnChunk& kept : chunk.kept)
      add_text([&](const Decision& d) { return kept.texts[d.row]; });
    add([&](const Decision& d) { return static_cast<double>(chunk.first_row + d.row + 1); });
    add([](const Decision& d) { return d.rank; });
    add_text([&](const Decision& d) { return std::string_view(table.ids[d.index]); });
    add([](const Decision& d) { return d.score; });
    add([](const Decision& d) { return d.margin; });
    if (explain_) {
      const std::vector<double> contributions =
          otss::explain(fitted_.weight_map(), chunk.x, decisions, table);
      for (int j = 0; j < fitted_.num_factors(); ++j) {
        std::size_t at = j;
        add([&](const Decision&) {
          return contributions[std::exchange(at, at + fitted_.num_factors())];
        });
      }
    }
    writer_.write(out);
    num_rows_ += decisions.size();
  }

  void commit() { writer_.commit(); }
  std::size_t num_rows() const { return num_rows_; }

 private:
  std::vector<ColumnInfo> columns(const Fitted& fitted, const ContextStream& stream) const {
    std::vector<ColumnInfo> own{{"row", ColumnKind::kNumber, true},
                                {"rank", ColumnKind::kNumber, true},
                                {"decision", ColumnKind::kText},
                                {"score", ColumnKind::kNumber},
                                {"margin", ColumnKind::kNumber}};
    for (const std::string& factor : fitted.factor_names()) {
      if (explain_) own.push_back({"c_" + factor, ColumnKind::kNumber});
    }
    return stream.output_columns(own);
  }

  const Fitted& fitted_;
  bool explain_;
  TableWriter writer_;
  std::size_t num_rows_ = 0;
};

void check_usage(const DecideArguments& arguments) {
  arguments.output.require_path_for_json();
  arguments.output.check(
      {arguments.model, arguments.contexts.source.path, arguments.library, arguments.candidates});
  if (arguments.library.empty() == arguments.candidates.empty()) {
    throw Error(ErrorCode::kUsage,
                "give either --library LIB, --candidates CAND or --mps PLAN: what may be chosen");
  }
  if (arguments.id.empty()) {
    throw Error(ErrorCode::kUsage, "--id COL is missing: the decisions' id column");
  }
  if (arguments.candidates.empty() != arguments.context_id.empty()) {
    throw Error(ErrorCode::kUsage,
                "--candidates and --context-id COL go together: the column that names the context");
  }
}

void run(DecideArguments& arguments) {
  check_usage(arguments);
  const Fitted fitted = load_model(arguments.model);
  if (arguments.explain && !fitted.has_weights()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--explain: a {} model has scores only, no weights to explain them "
                            "with; leave it out, or fit another --method",
                            fitted.method()));
  }
  arguments.options.num_threads =
      arguments.contexts.threads == 0 ? hardware_threads() : arguments.contexts.threads;
  const bool per_context = !arguments.candidates.empty();
  std::vector<std::string> extra;
  if (per_context) extra.push_back(arguments.context_id);
  ContextStream stream(arguments.contexts, fitted.encoder(), extra);
  DecisionTable table(fitted, stream, arguments);
  if (per_context) {
    Candidates candidates =
        read_candidates(TableReader({arguments.candidates, ""}), arguments.context_id, arguments.id,
                        fitted.factor_names());
    stream.read([&](const ContextChunk& chunk) {
      const auto sets = candidates.link(texts_of(chunk.extra.front()));
      table.write(chunk,
                  otss::decide(fitted.scorer(), chunk.num_rows, chunk.x, candidates, sets,
                               arguments.options),
                  candidates.rows());
    });
    if (candidates.num_unlinked_rows() > 0) {
      fmt::print(stderr, "otss: note: {} candidate rows belong to no context and were ignored\n",
                 candidates.num_unlinked_rows());
    }
  } else {
    const Decider decider(
        fitted.scorer(),
        read_library(TableReader({arguments.library, ""}), arguments.id, fitted.factor_names()),
        arguments.options);
    stream.read([&](const ContextChunk& chunk) {
      table.write(chunk, decider.decide(chunk.num_rows, chunk.x), decider.library());
    });
  }
  table.commit();
  warn_about(stream.unknown());
  if (arguments.output.json) {
    fmt::print("{}\n", Json{{"contexts", stream.num_rows()}, {"rows", table.num_rows()}}.dump());
  }
}

}  // namespace

void add_decide(CLI::App& app) {
  CLI::App* command = app.add_subcommand("decide", "The best decision of each context, exactly");
  const auto arguments = std::make_shared<DecideArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->contexts.add(*command);
  command
      ->add_option("--library", arguments->library,
                   "decisions open to every context: an id and the factors")
      ->type_name("LIB");
  command->add_option("--candidates", arguments->candidates, "decisions listed per context")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->context_id,
                   "the column of CONTEXTS and CAND that links them")
      ->type_name("COL");
  command->add_option("--id", arguments->id, "the decisions' id column")->type_name("COL");
  command->add_option("--top", arguments->options.top, "how many of the best per context")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--explain", arguments->explain,
                    "add each factor's contribution to the score, c_<factor>");
  arguments->plan.add_files(*command);
  arguments->plan.add_solver_options(*command);
  arguments->output.add(*command,
                        "where to write the table (.csv, .parquet, .json); stdout without");
  command->footer(
      "Gives per context: row, rank, decision, score = w'z in the log's units, and margin over the "
      "best other decision.\n"
      "With --mps: row, status, objective, bound, gap, factor totals z_<factor>, and the nonzero "
      "variables.\n"
      "Examples:\n"
      "  otss decide model.json customers.csv --library offers.csv --id offer --keep customer_id "
      "-o decisions.csv\n"
      "  otss decide model.json orders.csv --candidates routes.csv --context-id order --id route "
      "--top 3 --explain\n"
      "  otss decide model.json customers.csv --mps plan.mps --factor-map map.csv --time-limit 10");
  command->callback([arguments, command] {
    if (arguments->plan.is_given()) {
      check_plan_usage(*command);
      arguments->output.require_path_for_json();
      decide_plan(arguments->model, arguments->contexts, arguments->plan, arguments->output);
    } else {
      run(*arguments);
    }
  });
}

}  // namespace otss::app
