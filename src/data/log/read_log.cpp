#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "base/profile.hpp"
#include "data/log/fingerprint.hpp"
#include "data/log/log_builder.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/ranks/ranked_log.hpp"
#include "data/log/raw_log.hpp"
#include "data/table/columns.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "data/table/row_place.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/stream.hpp"

namespace otss::internal {
namespace {

// Runs `pass`, which reads the table. If `pass` fails because a column of numbers turned out to
// hold text, the kinds of all columns are guessed again from all rows, and `pass` is run once more.
// If ranks share the table, this happens on all ranks if `pass` fails on one of them.
template <class Pass>
auto with_settled_kinds(TableReader& reader, Pass pass, Ranks* ranks = nullptr) {
  std::optional<decltype(pass())> result;
  std::exception_ptr failure;
  try {
    result = pass();
  } catch (const Error&) {
    failure = std::current_exception();
  }
  if (!failure && ranks == nullptr) return *std::move(result);
  if (reader.settle_kinds(ranks)) return pass();
  if (failure) std::rethrow_exception(failure);
  return *std::move(result);
}

// This function is called for each chunk of a table.
using Consume = std::function<void(const TableChunk&)>;

// How the chunks of a table come: in row order, or on several threads in any order.
enum class ChunkOrder { kByRow, kAny };

void read_chunks(const TableReader& reader, const std::vector<ColumnRequest>& requests,
                 ChunkOrder order, const Consume& consume) {
  if (order == ChunkOrder::kByRow) {
    read_with_terms(reader, requests, consume);
    return;
  }
  read_with_terms_in_parallel(reader, requests,
                              [&](const TableChunk& chunk) -> std::function<void()> {
                                consume(chunk);
                                return {};
                              });
}

// Runs `pass`, which reads the table in the given order. If several rows are wrong, it depends on
// the order of the chunks which row an Error names. So after an Error, the table is read again in
// row order, and the Error names the first wrong row.
template <class Pass>
auto naming_first_error(const TableReader& reader, Pass pass) {
  if (reader.source().threads != 1) {
    try {
      return pass(ChunkOrder::kAny);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInput) throw;
    }
  }
  return pass(ChunkOrder::kByRow);
}

// Centres the factors of a chunk: subtracts from each row the mean factors of the row's feasible
// decisions. Also removes the last column of the chunk, which holds the context id.
class CenteredChunk {
 public:
  CenteredChunk(const TableChunk& chunk, const LogLayout& layout, const FeasibleSet& feasible)
      : chunk_(chunk), factors_(layout.roles.factors.size()) {
    for (auto& factor : factors_) factor.resize(chunk.num_rows);
    for (std::size_t row = 0; row < chunk.num_rows; ++row) {
      const auto mean = feasible.of(chunk.columns.back().texts[row]).mean_factors();
      for (std::size_t j = 0; j < factors_.size(); ++j)
        factors_[j][row] = chunk.columns[layout.num_contexts() + j].numbers[row] - mean[j];
    }
    chunk_.columns.pop_back();
    for (std::size_t j = 0; j < factors_.size(); ++j)
      chunk_.columns[layout.num_contexts() + j].numbers = factors_[j];
  }
  const TableChunk& chunk() const { return chunk_; }

 private:
  TableChunk chunk_;
  std::vector<std::vector<double>> factors_;
};

// Returns the columns to read. `feasible` is null if factors are not centred.
std::vector<ColumnRequest> requests_of(const LogLayout& layout, const FeasibleSet* feasible) {
  std::vector<ColumnRequest> requests = layout.requests;
  if (feasible != nullptr) requests.push_back({layout.roles.centered_by, true});
  return requests;
}

LogLayout lay_out(const TableReader& reader, const Roles& roles) {
  LogLayout layout = lay_out_log(roles, reader.columns(), reader.name());
  layout.rules = reader.rules().settled();
  layout.kinds_are_guessed = reader.source().query.empty();
  layout.find_row = [source = reader.source()](std::size_t row) {
    return place_of_row(source, row);
  };
  return layout;
}

std::unique_ptr<LogBuilder> gather(TableReader& reader, const Roles& roles, OutcomeKind outcome,
                                   const FeasibleSet* feasible = nullptr,
                                   const std::string& folder = {}) {
  return with_settled_kinds(reader, [&] {
    const LogPlan plan = plan_log(reader, roles);
    const LogLayout layout = lay_out(reader, plan.roles);
    return naming_first_error(reader, [&](ChunkOrder order) {
      auto builder = std::make_unique<LogBuilder>(layout, outcome, plan.notes,
                                                  LogBuilder::Place{.folder = folder});
      read_chunks(reader, requests_of(layout, feasible), order, [&](const TableChunk& chunk) {
        builder->append(feasible == nullptr ? chunk
                                            : CenteredChunk(chunk, layout, *feasible).chunk());
      });
      return builder;
    });
  });
}

struct ReadFingerprint {
  LogLayout layout;
  Fingerprint values;
};

ReadFingerprint read_fingerprint(TableReader& reader, const Roles& roles,
                                 const FeasibleSet* feasible) {
  const bool is_centered = feasible != nullptr && !roles.centered_by.empty() &&
                           feasible->context_id() == roles.centered_by;
  if (!is_centered) feasible = nullptr;
  return with_settled_kinds(reader, [&] {
    const LogLayout layout = lay_out(reader, roles);
    return naming_first_error(reader, [&](ChunkOrder order) {
      Fingerprint fingerprint(layout.requests.size());
      std::mutex mutex;
      read_chunks(reader, requests_of(layout, feasible), order, [&](const TableChunk& chunk) {
        Fingerprint part(layout.requests.size());
        add_to_fingerprint(
            part, feasible == nullptr ? chunk : CenteredChunk(chunk, layout, *feasible).chunk());
        const std::lock_guard lock(mutex);
        fingerprint.add(part);
      });
      return ReadFingerprint{layout, fingerprint};
    });
  });
}

// Returns the values of all features; those of text columns are empty.
std::vector<std::vector<double>> numbers_of(const TableReader& reader, const LogLayout& layout) {
  std::vector<std::vector<double>> columns(layout.num_features());
  read_with_terms(reader, layout.requests, [&](const TableChunk& chunk) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto numbers = chunk.columns[i].numbers;
      columns[i].insert(columns[i].end(), numbers.begin(), numbers.end());
    }
  });
  return columns;
}

// Rows that belong together may be on several ranks.
void refuse_labels_beside_ranks(const Roles& roles) {
  const char* option = !roles.group.empty()  ? "--group"
                       : !roles.time.empty() ? "--time"
                       : !roles.unit.empty() ? "--unit"
                                             : nullptr;
  if (option == nullptr) return;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{0} cannot be used with several ranks, because rows that belong together "
                  "may be on different ranks; leave out {0}, or use otss fit --stream",
                  option));
}

// Returns true if the column has no role and is not excluded. This function is called for the
// column with the context id, because `--context all` must not make this column a context.
bool has_no_role(const Roles& roles, const std::string& column) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), column) != names.end();
  };
  return !among(roles.contexts) && !among(roles.factors) && !among(roles.exclude) &&
         column != roles.outcome && column != roles.weight && column != roles.group &&
         column != roles.time && column != roles.unit;
}

ColumnInfo info_of(const NamedColumn& column) {
  if (column.texts.empty()) return {column.name, ColumnKind::kNumber, false, ValueType::kNumber};
  return {column.name, ColumnKind::kText, false, ValueType::kText};
}

std::size_t size_of(const NamedColumn& column) {
  return column.numbers.size() + column.texts.size();
}

ColumnChunk slice(const NamedColumn& column, std::size_t first, std::size_t count) {
  if (column.texts.empty()) return {ColumnKind::kNumber, column.numbers.subspan(first, count), {}};
  return {ColumnKind::kText, {}, column.texts.subspan(first, count)};
}

// Returns the columns in the order in which LogLayout reads them.
std::vector<NamedColumn> in_reading_order(const std::vector<NamedColumn>& contexts,
                                          const std::vector<NamedColumn>& factors,
                                          std::span<const double> outcome,
                                          const LogExtras& extras) {
  std::vector<NamedColumn> columns = contexts;
  columns.insert(columns.end(), factors.begin(), factors.end());
  columns.push_back({extras.outcome_name, outcome, {}});
  for (const NamedColumn* extra : {&extras.weight, &extras.group, &extras.time, &extras.unit}) {
    if (size_of(*extra) > 0) columns.push_back(*extra);
  }
  return columns;
}

Roles roles_of(const std::vector<NamedColumn>& contexts, const std::vector<NamedColumn>& factors,
               const LogExtras& extras) {
  Roles roles;
  for (const NamedColumn& column : contexts) roles.contexts.push_back(column.name);
  for (const NamedColumn& column : factors) roles.factors.push_back(column.name);
  roles.factors.insert(roles.factors.end(), extras.terms.begin(), extras.terms.end());
  roles.term_shrinkage = extras.term_shrinkage;
  roles.outcome = extras.outcome_name;
  if (size_of(extras.weight) > 0) roles.weight = extras.weight.name;
  if (size_of(extras.group) > 0) roles.group = extras.group.name;
  if (size_of(extras.time) > 0) roles.time = extras.time.name;
  if (size_of(extras.unit) > 0) roles.unit = extras.unit.name;
  return roles;
}

void check_lengths(const std::vector<NamedColumn>& columns, std::size_t num_rows) {
  for (const NamedColumn& column : columns) {
    if (size_of(column) == num_rows) continue;
    throw Error(ErrorCode::kInput, fmt::format("column '{}' has {} rows, but the outcome has {} "
                                               "rows; give all columns the same number of rows",
                                               column.name, size_of(column), num_rows));
  }
}

void check_texts(const std::vector<NamedColumn>& columns, const LogLayout& layout) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].texts.empty() && !layout.is_text(i)) {
      throw Error(
          ErrorCode::kInput,
          fmt::format(
              "column '{}' is text, but only contexts, groups and units may be text; use numbers",
              columns[i].name));
    }
  }
}

// Computes the terms of the log and inserts them after the factors that are columns. `values` keeps
// the values of the terms, to which the inserted columns point.
void insert_terms(const LogLayout& layout, std::vector<NamedColumn>& columns,
                  std::vector<std::vector<double>>& values) {
  values.reserve(layout.terms.size());
  for (std::size_t j = 0; j < layout.terms.size(); ++j) {
    const std::optional<Term>& term = layout.terms[j];
    if (!term) continue;
    const auto numbers = [&](const std::string& name) {
      return std::ranges::find(columns, name, &NamedColumn::name)->numbers;
    };
    values.push_back(term_values(*term, numbers(term->columns.front()),
                                 numbers(term->columns.back()),
                                 [&](std::size_t row) { return layout.row(row); }));
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(layout.num_contexts() + j),
                   {layout.roles.factors[j], values.back(), {}});
  }
}

}  // namespace

bool has_fingerprint(TableReader& reader, const Roles& roles, const FeasibleSet* feasible,
                     std::string_view known) {
  const auto [layout, fingerprint] = read_fingerprint(reader, roles, feasible);
  return known == fingerprint.hex(layout.described()) ||
         known == fingerprint.hex(layout.described_by_option());
}

RankedLog read_ranked_log(const TableSource& source, const Roles& roles, OutcomeKind outcome,
                          Ranks& ranks) {
  constexpr std::size_t kRankRows = 8192;  // the rows of a chunk
  refuse_labels_beside_ranks(roles);
  TableReader reader(source);
  const RowShare share = reader.share(ranks, kRankRows);
  const auto fill = [&] {
    reader.read_only({});
    const LogPlan plan = plan_log(reader, roles);
    const LogLayout layout = lay_out(reader, plan.roles);
    reader.read_only({0, std::min(kStripRows, share.num_all_rows)});
    const auto first_rows = numbers_of(reader, layout);
    reader.read_only(share.rows);
    return naming_first_error(reader, [&](ChunkOrder order) {
      auto filled = std::make_unique<LogBuilder>(layout, outcome, plan.notes,
                                                 LogBuilder::Place{.first_row = share.rows.first});
      filled->look_at_first_rows(first_rows);
      read_chunks(reader, layout.requests, order,
                  [&](const TableChunk& chunk) { filled->append(chunk); });
      return filled;
    });
  };
  const auto builder = with_settled_kinds(reader, fill, &ranks);
  return {std::move(*builder).finish(source.threads, &ranks), share.rows.first, share.num_all_rows};
}

RawLog read_raw_log(TableReader& reader, const Roles& roles, const std::string& context_id) {
  Roles named = roles;
  const bool linked = !context_id.empty() && reader.has_column(context_id);
  if (linked && has_no_role(named, context_id)) named.exclude.push_back(context_id);
  return with_settled_kinds(reader, [&] {
    RawLog log;
    LogPlan plan = plan_log(reader, named);
    log.notes = std::move(plan.notes);
    log.layout = lay_out(reader, plan.roles);
    std::vector<ColumnRequest> requests = log.layout.requests;
    for (const ColumnRequest& request : requests) {
      log.columns.push_back({.name = request.name, .is_text = request.as_text});
    }
    if (linked) requests.push_back({context_id, true});
    log.context_ids.name = context_id;
    log.context_ids.is_text = true;
    read_with_terms(reader, requests, [&log, linked](const TableChunk& chunk) {
      log.num_rows += chunk.num_rows;
      for (std::size_t i = 0; i < log.columns.size(); ++i) log.columns[i].append(chunk.columns[i]);
      if (linked) log.context_ids.append(chunk.columns.back());
    });
    return log;
  });
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

LoggedData::LoggedData(Parts parts)
    : parts_(std::move(parts)), num_contexts_(parts_.encoder.num_encoded()) {}

LoggedData read_log(TableReader reader, const Roles& roles, OutcomeKind outcome) {
  return stream_log(std::move(reader), roles, outcome, "");
}

LoggedData stream_log(TableReader reader, const Roles& roles, OutcomeKind outcome,
                      const std::string& folder) {
  const int threads = reader.source().threads;
  std::unique_ptr<LogBuilder> builder;
  {
    const StageTimer timer(Stage::kRead);
    // The reader is destroyed at the end of this block, before the tiles are filled. The destructor
    // of the reader frees the buffers of the database.
    TableReader closing = std::move(reader);
    builder = gather(closing, roles, outcome, nullptr, folder);
  }
  const StageTimer timer(Stage::kEncode);
  return std::move(*builder).finish(threads);
}

std::vector<std::string> table_files(const TableSource& source) {
  if (source.path == "-" || source.memory != nullptr) return {};
  if (is_database(source.path) || duck::is_remote(source.path)) return {};
  return duck::matching_files(source.path);
}

LoggedData read_centered_log(TableReader reader, const Roles& roles, const FeasibleSet& feasible,
                             OutcomeKind outcome) {
  // With a library, the mean factors are the same in every row. The encoder subtracts a constant
  // from each factor in any case, so there is nothing to centre here.
  if (feasible.is_shared()) return read_log(std::move(reader), roles, outcome);
  const int threads = reader.source().threads;
  if (static_cast<std::size_t>(feasible.num_factors()) != roles.factors.size()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: the decisions have {} factors, but the log has {} factors; call "
                            "read_candidates with the factor names of the log (Roles::factors)",
                            feasible.table(), feasible.num_factors(), roles.factors.size()));
  }
  Roles named = roles;
  named.centered_by = feasible.context_id();
  std::unique_ptr<LogBuilder> builder;
  {
    const StageTimer timer(Stage::kRead);
    TableReader closing = std::move(reader);
    closing.column(named.centered_by, "--context-id");
    if (has_no_role(named, named.centered_by)) named.exclude.push_back(named.centered_by);
    builder = gather(closing, named, outcome, &feasible);
  }
  const StageTimer timer(Stage::kEncode);
  return std::move(*builder).finish(threads);
}

LoggedData read_log(const TableSource& source, const Roles& roles, OutcomeKind outcome) {
  return read_log(TableReader(source), roles, outcome);
}

LoggedData read_centered_log(const TableSource& source, const Roles& roles,
                             const FeasibleSet& feasible, OutcomeKind outcome) {
  return read_centered_log(TableReader(source), roles, feasible, outcome);
}

LoggedData read_log(const std::string& path, const Roles& roles, OutcomeKind outcome) {
  return read_log(TableReader(path), roles, outcome);
}

LoggedData read_centered_log(const std::string& path, const Roles& roles,
                             const FeasibleSet& feasible, OutcomeKind outcome) {
  return read_centered_log(TableReader(path), roles, feasible, outcome);
}

std::string fingerprint_table(TableReader& reader, const Roles& roles,
                              const FeasibleSet* feasible) {
  const auto [layout, fingerprint] = read_fingerprint(reader, roles, feasible);
  return fingerprint.hex(layout.described());
}

LoggedData make_log(const std::vector<NamedColumn>& contexts,
                    const std::vector<NamedColumn>& factors, std::span<const double> outcome,
                    const LogExtras& extras) {
  auto columns = in_reading_order(contexts, factors, outcome, extras);
  std::vector<ColumnInfo> infos;
  for (const NamedColumn& column : columns) infos.push_back(info_of(column));
  if (outcome.empty()) throw Error(ErrorCode::kInput, "the log has no rows; give at least one row");
  LogLayout layout = lay_out_log(roles_of(contexts, factors, extras), infos, "");
  layout.rules = layout.rules.settled();
  check_lengths(columns, outcome.size());
  std::vector<std::vector<double>> terms;
  insert_terms(layout, columns, terms);
  check_texts(columns, layout);

  LogBuilder builder(layout, extras.outcome);
  for (std::size_t first = 0; first < outcome.size(); first += kStripRows) {
    TableChunk chunk{first, std::min(kStripRows, outcome.size() - first), {}};
    for (const NamedColumn& column : columns)
      chunk.columns.push_back(slice(column, first, chunk.num_rows));
    builder.append(chunk);
  }
  return std::move(builder).finish(extras.threads);
}

}  // namespace otss
