#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <unordered_map>

#include "data/log/fingerprint.hpp"
#include "data/table/number_text.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"
#include "otss/data/persons.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kRowsRead = 20'000;

// A column with fewer different values than this does not name persons. Its values are levels, such
// as regions.
constexpr std::size_t kFewestPersons = 30;

// The largest mean number of rows per person.
constexpr double kMostRowsEach = 200;

// At least this fraction of the rows must belong to a person with several rows.
constexpr double kRowsWithCompany = 0.2;

// A context column counts as the same within a person if `agreement`, computed from pairs of rows
// of one person, is at least this number.
constexpr double kSame = 0.9;

// At least this fraction of the context columns must be the same within a person. The other context
// columns may change with time.
constexpr double kSameColumns = 2.0 / 3;

// One code per row: equal values have equal codes.
using Codes = std::vector<std::uint64_t>;

// True if the cell `a` comes before `b`: as a number if both are numbers, else as a text.
bool comes_before(std::string_view a, std::string_view b) {
  const std::optional<double> first = parse_number(a);
  const std::optional<double> second = parse_number(b);
  return first && second ? *first < *second : a < b;
}

// The cells of one column. The code of a cell is the hash of its text.
class CodedColumn {
 public:
  explicit CodedColumn(std::string name) : name_(std::move(name)) {}

  void add(std::string_view text) {
    const std::uint64_t code = hash_text(text);
    if (!codes_.empty() && code != codes_.back() && is_sorted())
      (comes_before(last_, text) ? down_ : up_) = false;
    if (is_sorted()) last_ = text;
    codes_.push_back(code);
  }

  const std::string& name() const { return name_; }
  const Codes& codes() const { return codes_; }
  // True if the rows are in the order of this column, upwards or downwards.
  bool is_sorted() const { return up_ || down_; }

 private:
  std::string name_, last_;
  Codes codes_;
  bool up_ = true, down_ = true;
};

// Returns how many rows have each code.
std::vector<std::size_t> rows_of_values(Codes codes) {
  std::ranges::sort(codes);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i == 0 || codes[i] != codes[i - 1]) sizes.push_back(0);
    ++sizes.back();
  }
  return sizes;
}

std::vector<std::string> unused_columns(const TableReader& reader, const Roles& roles) {
  const std::array single{roles.outcome, roles.weight, roles.time, roles.centered_by};
  const auto has = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> used = roles.contexts;
  for (const std::string& factor : roles.factors) {
    const std::optional<Term> term = term_of(reader.columns(), factor);
    const std::vector<std::string> columns = term ? term->columns : std::vector{factor};
    used.insert(used.end(), columns.begin(), columns.end());
  }
  // If the reading rules make a used column from another column, this other column is used too.
  for (const ColumnInfo& column : reader.columns()) {
    if (!column.made_from.empty() && has(used, column.name)) used.push_back(column.made_from);
  }
  std::vector<std::string> names;
  for (const ColumnInfo& column : reader.columns()) {
    if (column.made_from.empty() && !has(used, column.name) && !has(single, column.name))
      names.push_back(column.name);
  }
  return names;
}

// This exception ends the reading of a table before its last row.
struct EnoughRows : std::exception {};

// Reads the first rows of the columns.
std::vector<CodedColumn> read_columns(const TableReader& reader,
                                      const std::vector<std::string>& names) {
  std::vector<ColumnRequest> requests;
  std::vector<CodedColumn> columns;
  for (const std::string& name : names) {
    requests.push_back({name, true});
    columns.emplace_back(name);
  }
  try {
    reader.read(requests, [&](const TableChunk& chunk) {
      if (chunk.first_row >= kRowsRead) throw EnoughRows();
      const std::size_t rows = std::min(chunk.num_rows, kRowsRead - chunk.first_row);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (const std::string_view text : chunk.columns[c].texts.first(rows)) columns[c].add(text);
      }
    });
  } catch (const EnoughRows&) {  // NOLINT(bugprone-empty-catch): enough rows were read
  }
  return columns;
}

// Returns the probability that two random rows have the same code.
double chance_of_equal(const Codes& codes) {
  const auto n = static_cast<double>(codes.size());
  double chance = 0;
  for (const std::size_t size : rows_of_values(codes)) {
    const auto count = static_cast<double>(size);
    chance += count / n * ((count - 1) / (n - 1));
  }
  return chance;
}

// Pairs of rows.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Returns how often the two rows of a pair have the same code, corrected for chance (Cohen's
// kappa). The result is 0 if the codes are the same as often as in two random rows, and 1 if they
// are always the same. Returns nothing for a constant column.
std::optional<double> agreement(const Codes& codes, const Pairs& pairs) {
  const double chance = chance_of_equal(codes);
  if (chance >= 1 || pairs.empty()) return std::nullopt;
  double equal = 0;
  for (const auto& [a, b] : pairs) equal += codes[a] == codes[b] ? 1 : 0;
  return (equal / static_cast<double>(pairs.size()) - chance) / (1 - chance);
}

// `varying` is the number of context columns that are not constant. `same` lists those of them in
// which the two rows of a pair mostly have the same value.
struct SameColumns {
  std::size_t varying = 0;
  std::vector<const CodedColumn*> same;

  bool are_most() const {
    return !same.empty() &&
           static_cast<double>(same.size()) >= kSameColumns * static_cast<double>(varying);
  }
};

SameColumns same_columns(const std::vector<CodedColumn>& contexts, const Pairs& pairs,
                         double least) {
  SameColumns result;
  for (const CodedColumn& context : contexts) {
    const std::optional<double> agrees = agreement(context.codes(), pairs);
    if (!agrees) continue;
    ++result.varying;
    if (*agrees >= least) result.same.push_back(&context);
  }
  return result;
}

// Pairs each row with the next row that has the same code.
Pairs rows_of_one_value(const Codes& codes) {
  std::unordered_map<std::uint64_t, std::size_t> last;
  Pairs pairs;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto [entry, is_new] = last.try_emplace(codes[i], i);
    if (!is_new) pairs.emplace_back(entry->second, i);
    entry->second = i;
  }
  return pairs;
}

// Returns true if blocks of rows with these sizes may each belong to one person. `sizes` has the
// number of rows of each block.
bool may_be_persons(const std::vector<std::size_t>& sizes) {
  std::size_t rows = 0;
  std::size_t with_company = 0;
  for (const std::size_t size : sizes) {
    rows += size;
    with_company += size > 1 ? size : 0;
  }
  return sizes.size() >= kFewestPersons &&
         static_cast<double>(rows) <= kMostRowsEach * static_cast<double>(sizes.size()) &&
         static_cast<double>(with_company) >= kRowsWithCompany * static_cast<double>(rows);
}

std::string rows_in_words(std::size_t rows) {
  return fmt::format("{}{} rows", rows == kRowsRead ? "the first " : "", rows);
}

Finding persons_named_by(const CodedColumn& column, std::size_t num_values,
                         const std::string& way_out) {
  return {
      Severity::kWarning,
      "persons",
      fmt::format("column '{}' seems to name persons: it has {} different values in {}, and rows "
                  "with the same value have the same contexts; rows of one person depend on each "
                  "other, so without --group the fit is more certain than it should be; {}",
                  column.name(), num_values, rows_in_words(column.codes().size()), way_out),
      {column.name()}};
}

std::optional<Finding> person_column(const std::vector<CodedColumn>& contexts,
                                     const CodedColumn& candidate) {
  const std::vector<std::size_t> sizes = rows_of_values(candidate.codes());
  if (!may_be_persons(sizes)) return std::nullopt;
  if (!same_columns(contexts, rows_of_one_value(candidate.codes()), kSame).are_most())
    return std::nullopt;
  return persons_named_by(candidate, sizes.size(),
                          fmt::format("give --group {}", candidate.name()));
}

// Returns a finding if one of the contexts names persons, as `--context all` may make it do. The
// other contexts must be at least kFewestOthers, and all of them must be the same within a person:
// one column can determine another, as a town determines its country, without naming persons.
std::optional<Finding> person_among(const std::vector<CodedColumn>& contexts) {
  constexpr std::size_t kFewestOthers = 2;
  for (const CodedColumn& candidate : contexts) {
    const std::vector<std::size_t> sizes = rows_of_values(candidate.codes());
    if (!may_be_persons(sizes)) continue;
    const SameColumns found = same_columns(contexts, rows_of_one_value(candidate.codes()), kSame);
    // The candidate itself is always the same.
    if (found.same.size() < found.varying || found.varying < kFewestOthers + 1) continue;
    return persons_named_by(
        candidate, sizes.size(),
        fmt::format("give --group {0}, and do not name '{0}' in --context", candidate.name()));
  }
  return std::nullopt;
}

// Returns one code per row for the values of several columns together.
Codes joint_codes(const std::vector<const CodedColumn*>& columns) {
  Codes joint = columns.front()->codes();
  for (std::size_t c = 1; c < columns.size(); ++c) {
    // The multiplication mixes the bits. Without it, two rows whose values in two columns are
    // exchanged would get the same code.
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    for (std::size_t i = 0; i < joint.size(); ++i)
      joint[i] = (joint[i] ^ (joint[i] >> 29U)) * kMultiplier + columns[c]->codes()[i];
  }
  return joint;
}

// Returns the lengths of the runs of consecutive rows with equal codes.
std::vector<std::size_t> run_lengths(const Codes& codes) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i == 0 || codes[i] != codes[i - 1]) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

// Returns a finding if rows come in blocks with the same contexts. If the log is sorted by a
// context column, the blocks come from sorting and not from persons. So then there is no finding.
std::optional<Finding> blocks_of_contexts(const std::vector<CodedColumn>& contexts) {
  if (contexts.empty()) return std::nullopt;
  Pairs neighbours;
  for (std::size_t i = 1; i < contexts.front().codes().size(); ++i)
    neighbours.emplace_back(i - 1, i);
  constexpr double kMostlySame = 0.5;  // if all blocks have two rows, half of the pairs agree
  const SameColumns found = same_columns(contexts, neighbours, kMostlySame);
  if (!found.are_most()) return std::nullopt;
  const Codes joint = joint_codes(found.same);
  const std::vector<std::size_t> blocks = run_lengths(joint);
  if (!may_be_persons(blocks) || agreement(joint, neighbours).value_or(0) < kMostlySame ||
      std::ranges::any_of(found.same, [](const CodedColumn* one) { return one->is_sorted(); }))
    return std::nullopt;
  return Finding{
      Severity::kWarning,
      "persons",
      fmt::format("rows come in blocks with the same contexts, {} blocks in {}, as if each block "
                  "belonged to one person; rows of one person depend on each other, so without "
                  "--group the fit is more certain than it should be; if a column names the "
                  "person, give --group with this column",
                  blocks.size(), rows_in_words(joint.size())),
      {}};
}

Findings persons_in(const TableReader& reader, const Roles& roles) {
  std::vector<std::string> names = roles.contexts;
  const std::vector<std::string> unused = unused_columns(reader, roles);
  names.insert(names.end(), unused.begin(), unused.end());
  std::vector<CodedColumn> contexts = read_columns(reader, names);
  const auto first_unused = contexts.begin() + std::ssize(roles.contexts);
  const std::vector<CodedColumn> candidates(first_unused, contexts.end());
  contexts.erase(first_unused, contexts.end());
  for (const CodedColumn& candidate : candidates) {
    if (auto finding = person_column(contexts, candidate)) return {*finding};
  }
  if (auto finding = person_among(contexts)) return {*finding};
  if (auto finding = blocks_of_contexts(contexts)) return {*finding};
  return {};
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Findings find_persons(const TableSource& source, const Roles& roles) {
  const bool read_once = source.path == "-";
  if (!roles.group.empty() || !roles.unit.empty() || roles.contexts.empty() || read_once) return {};
  TableSource of_first_rows = source;
  // Only the first rows are needed. Several threads would read far beyond them.
  of_first_rows.threads = 1;
  try {
    return persons_in(TableReader(of_first_rows), roles);
  } catch (const Error&) {
    // The log was read before without an error. So this error can only come from a limit of --query
    // that the second reading exceeds. The log is usable nevertheless, and this check is only
    // advice.
    return {};
  }
}

}  // namespace otss
