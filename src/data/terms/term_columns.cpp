#include "data/terms/term_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <variant>

#include "data/table/append_chunk.hpp"
#include "data/table/columns.hpp"
#include "data/table/number_text.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns the position of the request in `reads`. Adds the request if it is not there yet.
std::size_t place_in(std::vector<ColumnRequest>& reads, const ColumnRequest& request) {
  const auto found = std::ranges::find_if(reads, [&](const ColumnRequest& one) {
    return one.name == request.name && one.as_text == request.as_text;
  });
  if (found != reads.end()) return found - reads.begin();
  reads.push_back(request);
  return reads.size() - 1;
}

struct PlacedTerm {
  Term term;
  std::size_t first = 0, second = 0;  // the positions of the term's columns in ReadingPlan::reads
};

// Says how the requested columns are made from the columns that are read.
struct ReadingPlan {
  std::vector<ColumnRequest> reads;
  // For each request, the position of its column in `reads`, or its term.
  std::vector<std::variant<std::size_t, PlacedTerm>> sources;
  bool has_terms = false;
};

ReadingPlan plan_reading(std::span<const ColumnInfo> columns,
                         const std::vector<ColumnRequest>& requests) {
  ReadingPlan plan;
  for (const ColumnRequest& request : requests) {
    auto term = request.as_text ? std::nullopt : term_of(columns, request.name);
    if (!term) {
      plan.sources.emplace_back(place_in(plan.reads, request));
      continue;
    }
    plan.has_terms = true;
    const std::size_t first = place_in(plan.reads, {term->columns.front()});
    const std::size_t second = place_in(plan.reads, {term->columns.back()});
    plan.sources.emplace_back(PlacedTerm{*std::move(term), first, second});
  }
  return plan;
}

std::string shown_number(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

// The requested columns of a chunk, in which terms are computed.
class ChunkWithTerms {
 public:
  // `table` names the table in an Error. `read` must outlive this object.
  ChunkWithTerms(const ReadingPlan& plan, const std::string& table, const TableChunk& read)
      : chunk_{read.first_row, read.num_rows, {}} {
    for (const auto& source : plan.sources) {
      if (const auto* column = std::get_if<std::size_t>(&source)) {
        chunk_.columns.push_back(read.columns[*column]);
        continue;
      }
      const auto& [term, first, second] = std::get<PlacedTerm>(source);
      values_.push_back(term_values(
          term, read.columns[first].numbers, read.columns[second].numbers, [&](std::size_t row) {
            return fmt::format("{}: row {}", table, read.first_row + row + 1);
          }));
      chunk_.columns.push_back({ColumnKind::kNumber, values_.back(), {}});
    }
  }
  const TableChunk& chunk() const { return chunk_; }

 private:
  TableChunk chunk_;
  std::deque<std::vector<double>> values_;  // the values of the terms, to which the chunk points
};

}  // namespace

std::optional<Term> term_of(std::span<const ColumnInfo> columns, std::string_view factor) {
  if (find_column(columns, factor) != nullptr) return std::nullopt;
  return parse_term(factor);
}

bool has_factor(std::span<const ColumnInfo> columns, std::string_view factor) {
  if (find_column(columns, factor) != nullptr) return true;
  const std::optional<Term> term = parse_term(factor);
  return term && std::ranges::all_of(term->columns, [&](const std::string& column) {
           return find_column(columns, column) != nullptr;
         });
}

void require_factor(std::span<const ColumnInfo> columns, std::string_view factor,
                    std::string_view role, std::string_view table) {
  if (const std::optional<Term> term = term_of(columns, factor)) {
    for (const std::string& column : term->columns)
      require_column(columns, column, fmt::format("{}: {}", role, factor), table);
    return;
  }
  if (find_column(columns, factor) == nullptr &&
      factor.find_first_of("*^()+/") != std::string_view::npos) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{0}' has no column '{1}' ({2}), and '{1}' is not a term; name a column, or "
                    "write a term of columns A and B as A^2, A*B, log(A) or log(1+A)",
                    table, factor, role));
  }
  require_column(columns, factor, role, table);
}

std::vector<double> term_values(const Term& term, std::span<const double> a,
                                std::span<const double> b,
                                const std::function<std::string(std::size_t)>& place) {
  std::vector<double> values(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    values[i] = term.value(a[i], b[i]);
    if (!std::isnan(values[i]) || std::isnan(a[i]) || std::isnan(b[i])) continue;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: {} is not defined, because '{}' is {}, but must be above {}; "
                            "correct the value, or use another term",
                            place(i), term.name(), term.columns.front(), shown_number(a[i]),
                            term.kind == TermKind::kLog ? 0 : -1));
  }
  return values;
}

TableChunk columns_of(const TableChunk& chunk, std::size_t first, std::size_t count) {
  const auto begin = chunk.columns.begin() + static_cast<std::ptrdiff_t>(first);
  return {chunk.first_row, chunk.num_rows, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

void read_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests,
                     const std::function<void(const TableChunk&)>& consume) {
  const ReadingPlan plan = plan_reading(reader.columns(), requests);
  if (!plan.has_terms) {
    reader.read(requests, consume);
    return;
  }
  reader.read(plan.reads, [&](const TableChunk& read) {
    consume(ChunkWithTerms(plan, reader.name(), read).chunk());
  });
}

void read_with_terms_in_parallel(
    const TableReader& reader, const std::vector<ColumnRequest>& requests,
    const std::function<std::function<void()>(const TableChunk&)>& work) {
  const ReadingPlan plan = plan_reading(reader.columns(), requests);
  if (!plan.has_terms) {
    reader.read_in_parallel(requests, work);
    return;
  }
  reader.read_in_parallel(plan.reads, [&](const TableChunk& read) {
    return work(ChunkWithTerms(plan, reader.name(), read).chunk());
  });
}

Table read_table_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests) {
  Table table;
  for (const ColumnRequest& request : requests) {
    const ColumnKind kind = request.as_text ? ColumnKind::kText : ColumnKind::kNumber;
    table.columns.push_back({request.name, kind, {}, {}, {}});
  }
  read_with_terms(reader, requests, [&](const TableChunk& chunk) { append(chunk, table); });
  return table;
}

}  // namespace otss::internal
